// SPDX-License-Identifier: GPL-2.0-or-later
// The call graph: a table of functions, and beside it who calls the chosen one and whom it
// calls.

const callColumns = [
	{ key: "total", title: "total", what: "instructions of it and all it called" },
	{ key: "self", title: "self", what: "its own instructions" },
	{ key: "calls", title: "calls", what: "how often it was called" },
];

function timesCell(times) {
	return times ? count(times)
		: el("span", { class: "muted", title: "Inlined there, or jumped into" }, "–");
}

function readFunctions(calls) {
	const functions = calls.functions.map(([name, self, total, times, least, most], index) =>
		({ index, name, self, total, calls: times, least, most, callers: [], callees: [] }));

	for (const [from, to, times, insns] of calls.arcs) {
		functions[to].callers.push({ other: functions[from], times, insns });
		if (from >= 0)
			functions[from].callees.push({ other: functions[to], times, insns });
	}
	return functions;
}

function arcTable(title, arcs, all, choose) {
	if (!arcs.length)
		return el("p", { class: "absent" }, title === "Callers" ? "None that is known." : "None.");
	return el("div", { class: "scroll arcs" }, makeTable([
		{ title: "", name: true, cell: ({ other }) => other
			? el("button", { type: "button", class: "link name", title: nameOf(other.name),
				click: () => choose(other) }, ...nameParts(shortOf(other.name)))
			: el("span", { class: "muted" }, "(nothing: where it began)") },
		{ title: "", kind: "meters", cell: ({ insns }) => meter(all ? insns / all : 0) },
		{ title: "instructions", number: true, cell: ({ insns }) => count(insns) },
		{ title: "calls", number: true, by: ({ times }) => times, cell: ({ times }) => timesCell(times) },
	], arcs, title));
}

function describeFunction(pane, fn, all, choose) {
	const facts = [percent(fn.total / all) + " of all with what it called", percent(fn.self / all) + " its own"];

	if (fn.calls)
		facts.push(plural(fn.calls, "call") + (fn.most ? " of " + (fn.least < fn.most ? count(fn.least) + " to " : "") +
			plural(fn.most, "instruction") : ", not returned"));
	pane.replaceChildren(el("h3", { class: "name" }, nameCell(fn.name)),
		el("p", { class: "lede" }, facts.join(" · ") + (moduleOf(fn.name) ? " · " + moduleOf(fn.name) : "")),
		el("h3", null, "Callers"), arcTable("Callers", fn.callers, fn.total, choose),
		el("h3", { class: "next" }, "Callees"), arcTable("Callees", fn.callees, fn.total, choose));
}

function functionTable(functions, all, choose) {
	const body = el("tbody");
	const heads = {};
	const rows = new Map(functions.map((fn) => [fn, el("tr", null,
		el("td", { class: "name" }, el("button", { type: "button", class: "link name", title: nameOf(fn.name),
			click: () => choose(fn) }, ...nameParts(shortOf(fn.name)))),
		el("td", { class: "n" }, percent(fn.total / all)), el("td", { class: "n" }, percent(fn.self / all)),
		el("td", { class: "n" }, timesCell(fn.calls)))]));
	const sort = (key) => {
		body.append(...[...functions].sort((a, b) => b[key] - a[key] || a.index - b.index)
			.map((fn) => rows.get(fn)));
		for (const column of callColumns)
			heads[column.key].setAttribute("aria-sort", column.key === key ? "descending" : "none");
	};
	for (const column of callColumns)
		heads[column.key] = el("th", { class: "n", scope: "col" }, el("button", { type: "button", class: "link",
			title: "Sort by " + column.what, click: () => sort(column.key) }, column.title));

	sort("total");
	return { rows, filter: (text) => {
		for (const [fn, row] of rows)
			row.hidden = !nameOf(fn.name).toLowerCase().includes(text.toLowerCase());
	}, table: el("table", { "aria-label": "Functions by calls" },
		el("thead", null, el("tr", null, el("th", { scope: "col" }, "function"),
			...callColumns.map((column) => heads[column.key]))), body) };
}

addPart("calls", "Calls", "Functions, who calls them, and whom they call. Total is what a function took with " +
	"all it called, counted once when it calls itself.", "calls", (body, calls) => {
	const functions = readFunctions(calls);
	const pane = el("div", { class: "pane", "aria-live": "polite" });
	const all = data.summary.insns;
	let picked = null;

	if (!functions.length) {
		body.append(el("p", { class: "absent" }, "Nothing ran in what was asked for."));
		return;
	}
	const choose = (fn) => {
		if (picked)
			list.rows.get(picked).classList.remove("picked");
		picked = fn;
		list.rows.get(fn).classList.add("picked");
		describeFunction(pane, fn, all, choose);
	};
	const list = functionTable(functions, all, choose);

	body.append(el("div", { class: "columns" },
		el("div", null, el("div", { class: "tools" }, el("input", { type: "search", placeholder: "Find a function",
			"aria-label": "Find a function", input: (event) => list.filter(event.target.value.trim()) })),
		el("div", { class: "scroll tall" }, list.table)), pane));
	choose(functions.reduce((a, b) => b.self > a.self ? b : a));
	const cut = [];
	if (calls.in_all > functions.length)
		cut.push("the " + functions.length + " functions with the most instructions of " + count(calls.in_all));
	if (calls.arcs_in_all > calls.arcs.length)
		cut.push("the " + count(calls.arcs.length) + " busiest of " + count(calls.arcs_in_all) + " ways between them");
	if (cut.length)
		body.append(el("p", { class: "note" }, "Shown: " + cut.join(", and ") + "."));
}, "Calls");
