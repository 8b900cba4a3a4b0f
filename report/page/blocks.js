// SPDX-License-Identifier: GPL-2.0-or-later
// The blocks with the most instructions; each opens to its code.

function placeText(block) {
	return shortOf(block.name) + (block.offset ? "+0x" + block.offset.toString(16) : "");
}

// "addi    sp,sp,-16" with the mnemonic apart.
function codeLine([address, text, executions]) {
	const [, mnemonic, rest] = /^(\S+)\s*(.*)$/.exec(text) || ["", "", text, ""];
	return [el("span", { class: "at" }, count(executions).padStart(14) + "  " + address + "  "),
		el("span", { class: "what" }, mnemonic.padEnd(rest ? 10 : 0)), rest + "\n"];
}

function codeOf(block) {
	const listing = el("div", { class: "listing", tabindex: "0", role: "region",
		"aria-label": "Code of " + placeText(block) }, ...block.code.flatMap(codeLine));

	if (pageOf(block.name))
		listing.prepend(nameCell(block.name, "All of " + shortOf(block.name)), "\n");
	if (block.size > block.code.length)
		listing.append(el("span", { class: "at" }, "… and " +
			plural(block.size - block.code.length, "more instruction")));
	return listing;
}

function blockRows(block, index, all) {
	const code = el("tr", { hidden: true }, el("td", { colspan: 7 }));
	const twist = el("span", { class: "twist", "aria-hidden": "true" }, "▸");
	const open = (yes) => {
		if (yes && !code.firstChild.firstChild)
			code.firstChild.append(codeOf(block));
		code.hidden = !yes;
		twist.textContent = yes ? "▾" : "▸";
		button.setAttribute("aria-expanded", String(yes));
	};
	const button = el("button", { type: "button", class: "link name", "aria-expanded": "false",
		click: () => open(code.hidden) }, twist, placeText(block));
	const number = (text) => el("td", { class: "n" }, text);
	const spare = (text) => el("td", { class: "n spare" }, text);

	if (index === 0)
		open(true);
	return [el("tr", null, el("td", { class: "name" }, button),
		el("td", { class: "address spare" }, el("span", { class: "name muted" }, block.address)),
		el("td", { class: "meters" }, meter(block.insns / all)),
		spare(percent(block.insns / all)), spare(count(block.size)),
		spare(count(block.executions)), number(count(block.insns))), code];
}

addPart("blocks", "Hot blocks", "The translation blocks with the most instructions, as QEMU ran them, " +
	"and their code, with how often each instruction ran. Blocks may overlap: the first of a loop often " +
	"contains the next one's code, so an instruction may have run more often than a block.",
"blocks", (body, blocks) => {
	const heads = [["block", ""], ["address", "spare"], ["", "meters"], ["share", "n spare"], ["size", "n spare"],
		["executions", "n spare"], ["instructions", "n"]];
	const all = data.summary.insns;

	if (!blocks.hottest.length) {
		body.append(el("p", { class: "absent" }, "No block ran in what was asked for."));
		return;
	}
	body.append(el("div", { class: "scroll tall" }, el("table", { "aria-label": "Hot blocks" },
		el("thead", null, el("tr", null, ...heads.map(([text, kind]) =>
			el("th", { scope: "col", class: kind || null }, text)))),
		el("tbody", null, ...blocks.hottest.flatMap((block, i) => blockRows(block, i, all))))));
	if (blocks.in_all > blocks.hottest.length)
		body.append(el("p", { class: "note" }, "The first " + blocks.hottest.length + " of " +
			plural(blocks.in_all, "block") + " that ran."));
}, "Blocks");
