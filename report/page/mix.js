// SPDX-License-Identifier: GPL-2.0-or-later
// What kinds of instructions ran, as bars.

function mixTable(division, caption) {
	const all = data.summary.insns;

	return pagedTable([
		{ title: caption, name: true, cell: ([kind]) => kind },
		{ title: "", kind: "meters", cell: ([, insns]) => meter(insns / all) },
		{ title: "share", number: true, cell: ([, insns]) => percent(insns / all) },
		{ title: "instructions", number: true, cell: ([, insns]) => count(insns) },
	], division.kinds, "Instructions by " + caption);
}

function compressedText(division) {
	const sum = division.kinds.reduce((total, kind) => total + kind[2], 0);

	return percent(sum / data.summary.insns) + " of the instructions are compressed ones, of 16 bits.";
}

addPart("mix", "Instruction mix", "How many instructions of each kind ran; exact counts.", "mix",
	(body, mix) => {
		const panels = [["class", "class"], ["mnemonic", "mnemonic"], ["extension", "extension"]]
			.filter(([key]) => mix[key] && mix[key].kinds.length);

		if (!panels.length) {
			body.append(el("p", { class: "absent" }, "Nothing ran in what was asked for."));
			return;
		}
		body.append(el("div", { class: "columns" + (panels.length > 2 ? " three" : "") },
			...panels.map(([key, caption]) => {
				const more = mix[key].in_all - mix[key].kinds.length;

				return el("div", null, mixTable(mix[key], caption),
					more > 0 ? el("p", { class: "note" }, "And " + plural(more, "rarer kind") + ".") : null,
					key === "extension" && mix[key].compressed
						? el("p", { class: "note" }, compressedText(mix[key])) : null);
			})));
		if (!mix.class)
			body.append(el("p", { class: "note" },
				"Classes and extensions are known of RISC-V's instructions only."));
	}, "Mix");
