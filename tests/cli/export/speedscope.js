// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * speedscope.js SCRIPT FILE: what speedscope's importers find in a file, as JSON.
 *
 * SCRIPT is that of speedscope's page. Its end, which draws the page, is left out; what it
 * expects of a browser before that is not there, and answers anything.
 */
'use strict';
const fs = require('fs');
const path = require('path');
const vm = require('vm');

const nothing = new Proxy(function () {}, {
	get: (target, key) => (key === Symbol.toPrimitive ? () => '' : nothing),
	apply: () => nothing,
	construct: () => nothing,
	set: () => true,
});

/* The page's importers, by the name that they have before the script was made small. */
function importers(script) {
	const text = fs.readFileSync(script, 'utf8');
	const found = /async function (\w+)\((\w+),(\w+)\)\{return\(await (\w+)\)\.importProfilesFromArrayBuffer\(/.exec(text);
	const end = text.lastIndexOf('console.log(`speedscope v');

	if (!found || end < 0)
		throw new Error('not the script of a speedscope that is known here');
	global.window = global;
	global.document = nothing;
	global.location = { hash: '', protocol: 'file:' };
	global.addEventListener = () => {};
	global.matchMedia = () => ({ matches: false, addEventListener() {}, addListener() {} });
	global.localStorage = { getItem: () => null, setItem() {} };
	Object.defineProperty(global, 'navigator', { value: { userAgent: '' }, configurable: true });
	vm.runInThisContext(text.slice(0, end) + `globalThis.importProfiles = ${found[1]};})();`);
	return global.importProfiles;
}

function profile(one) {
	const functions = [];

	one.forEachFrame(frame => functions.push({
		name: frame.name,
		file: frame.file,
		line: frame.line,
		self: frame.getSelfWeight(),
		total: frame.getTotalWeight(),
	}));
	return { name: one.getName(), unit: one.getWeightUnit(), weight: one.getTotalWeight(), functions };
}

async function main([script, file]) {
	const importProfiles = importers(script);
	const bytes = fs.readFileSync(file);
	const said = [];

	console.log = console.warn = console.info = (...words) => said.push(words.join(' '));
	const group = await importProfiles(path.basename(file), new Uint8Array(bytes).buffer);
	if (!group)
		throw new Error('speedscope does not know this form');
	process.stdout.write(JSON.stringify({ said, profiles: group.profiles.map(profile) }));
}

main(process.argv.slice(2)).catch(error => {
	process.stderr.write(`${error.stack}\n`);
	process.exitCode = 1;
});
