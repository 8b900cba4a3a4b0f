// SPDX-License-Identifier: GPL-2.0-or-later
// Three functions whose work is 1 : 2 : 4, for a profiler that samples.
'use strict';
function once(n) {
	let x = 1;
	for (let i = 0; i < n; i++) x = (x * 5 + i) | 0;
	return x;
}
function twice(n) {
	let x = 2;
	for (let i = 0; i < 2 * n; i++) x = (x * 5 + i) | 0;
	return x;
}
function fourfold(n) {
	let x = 3;
	for (let i = 0; i < 4 * n; i++) x = (x * 5 + i) | 0;
	return x;
}
let sum = 0;
for (let round = 0; round < 400; round++)
	sum ^= once(20000) ^ twice(20000) ^ fourfold(20000);
console.log(sum);
