// SPDX-License-Identifier: GPL-2.0-or-later
// For V8: a function that gets hot, is compiled, and is compiled again when its argument
// is of another kind.

function mix(sum, x) {
	return (sum * 31 + x) % 1000003;
}

let sum = 0;
for (let i = 0; i < 100000; i++)
	sum = mix(sum, i);
for (let i = 0; i < 1000; i++)
	sum = mix(sum, i / 2);
console.log("jit", Math.round(sum), [3, 1, 2].map(x => mix(x, "4")).sort().join());
