// SPDX-License-Identifier: GPL-2.0-or-later
// What of the program ran, and what did not.

function coverTable(part, title, what) {
	const table = pagedTable([
		{ title, name: true, cell: ([path]) => el("span", { title: pathOf(path) }, baseName(pathOf(path))) },
		{ title: "", kind: "meters", cell: ([, all, reached]) => meter(all ? reached / all : 0) },
		{ title: "ran", number: true, cell: ([, all, reached]) => all ? percent(reached / all) : "–" },
		{ title: what + " that ran", number: true, cell: ([, , reached]) => count(reached) },
		{ title: "of", number: true, cell: ([, all]) => all ? count(all) : "not known" },
	], part.files, "Coverage of each " + title);

	return el("div", null, table, part.in_all > part.files.length
		? el("p", { class: "note" }, "The largest " + part.files.length + " of " + count(part.in_all) + ".") : null);
}

function lineText([, , , path, line]) {
	return path ? baseName(pathOf(path)) + ":" + line : "";
}

function coveredTable(rows) {
	return pagedTable([
		{ title: "function", name: true, cell: ([name]) => nameCell(name) },
		{ title: "file", spare: true, cell: ([name]) => el("span", { class: "muted" }, baseName(moduleOf(name))) },
		{ title: "line", cell: (row) => el("span", { class: "muted", title: row[3] ? pathOf(row[3]) : null }, lineText(row)) },
		{ title: "entered", number: true, by: ([, executions]) => executions, cell: ([, executions, insns]) =>
			insns ? count(executions) : el("span", { class: "warn" }, "never") },
		{ title: "instructions", number: true, by: ([, , insns]) => insns, cell: ([, , insns]) => insns ? count(insns) : "" },
	], rows, "Functions that ran and that did not");
}

function functionList(cover) {
	const lists = { all: cover.reached.concat(cover.missed), reached: cover.reached, missed: cover.missed };
	const box = el("div");
	const choice = el("select", { "aria-label": "Which functions", change: () => show() },
		el("option", { value: "all" }, "All"), el("option", { value: "reached" }, "That ran"),
		el("option", { value: "missed" }, "That did not run"));
	const show = () => box.replaceChildren(coveredTable(lists[choice.value]));

	show();
	return [el("div", { class: "tools" }, choice), box];
}

addPart("cover", "Coverage", "What of the files ran whose code was seen, and what did not. Functions are those that " +
	"the files have symbols for.", "cover", (body, cover) => {
	const sums = (part) => part.files.reduce((total, [, all, reached]) => [total[0] + all, total[1] + reached], [0, 0]);
	const [all, reached] = sums(cover.modules);

	if (!all) {
		body.append(el("p", { class: "absent" }, "No file was found that has symbols, so what did not run is not " +
			"known."));
		return;
	}
	body.append(el("h3", null, "Files"), coverTable(cover.modules, "file", "functions"),
		el("h3", { class: "next" }, "Lines of source"), cover.sources.in_all
			? coverTable(cover.sources, "source", "lines")
			: el("p", { class: "absent" }, "The files have no debugging information, so lines are not known."),
		el("h3", { class: "next" }, "Functions"), ...functionList(cover));
	if (cover.reached.length < reached || cover.missed.length < all - reached)
		body.append(el("p", { class: "note" }, "Listed: the busiest " + count(cover.reached.length) + " of " +
			count(reached) + " that ran, and the first " + count(cover.missed.length) + " of " +
			count(all - reached) + " that did not."));
}, "Coverage");
