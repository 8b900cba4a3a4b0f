// SPDX-License-Identifier: GPL-2.0-or-later
// Counts its own calls, and prints the counts: what hot --by method must say. Functions are
// interpreted, compiled and optimised; loops are replaced while they run; exceptions unwind.
'use strict';
const calls = {};
function count(name) { calls[name] = (calls[name] || 0) + 1; }
function fib(n) { count('fib'); return n < 2 ? n : fib(n - 1) + fib(n - 2); }
class Shape {
	constructor(x) { count('Shape'); this.x = x; }
	area() { count('area'); return this.x * this.x; }
}
class Square extends Shape {
	constructor(x) { super(x); count('Square'); }
	area() { count('Square.area'); return super.area(); }
}
const kinds = [
	(i) => ({ v: i }),
	() => ({ a: 1, v: 2 }),
	() => ({ b: 1, v: 1 }),
	() => ({ c: 1, d: 2, v: 3.5 }),
];
function poly(o) { count('poly'); return o.v; }
function thrower(n) { count('thrower'); if (n % 3 === 0) throw new Error('x'); return n; }
function catcher(n) { count('catcher'); try { return thrower(n); } catch (e) { return -1; } }
function* gen(n) { count('gen'); for (let i = 0; i < n; i++) yield i; }
async function later(n) { count('later'); await null; return n; }
function compare(a, b) { count('compare'); return a - b; }
function main() {
	count('main');
	let s = fib(15);
	for (let i = 0; i < 3000; i++) s += new Square(i).area() % 7;
	for (let i = 0; i < 3000; i++) s += poly(kinds[i % 4](i));
	for (let i = 0; i < 300; i++) s += catcher(i);
	for (const x of gen(50)) s += x;
	const list = [];
	for (let i = 0; i < 200; i++) list.push((i * 7919) % 1000);
	list.sort(compare);
	return s;
}
const s = main();
Promise.all([later(1), later(2)]).then((v) => {
	console.log(s, v.join());
	for (const k of Object.keys(calls).sort()) console.error(k, calls[k]);
});
