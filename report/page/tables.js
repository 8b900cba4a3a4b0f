// SPDX-License-Identifier: GPL-2.0-or-later
// Hot lines, loops, system calls and markers: tables as the commands print them.

// How cells of a type are shown, in columns that are not treated by name below.
function cellText(type, value) {
	if (value === null)
		return "";
	if (type === "count")
		return count(value);
	if (type === "share")
		return percent(value);
	return type === "real" ? real(value) : String(value);
}

// Columns that a narrow page leaves out.
const SPARE = new Set(["executions", "depth", "iterations", "entries", "share", "l1d_rate", "l2_misses", "loads", "stores"]);

// `special` has functions (row, at) for columns by name; at(name) is another cell of the row.
function hotTable(table, caption, special) {
	const at = (row) => (name) => row[table.columns.findIndex(([other]) => other === name)];
	const columns = table.columns.map(([name, type], i) => ({
		title: name, number: type !== "text" && type !== "address", name: type === "text" && name !== "line",
		kind: name === "line" ? "address" : "", spare: SPARE.has(name) ||
			name === "line" && special.place,
		by: (row) => row[i] === null ? -1 : row[i],
		cell: (row) => special[name] && row[i] ? special[name](row[i], at(row)) : cellText(type, row[i]),
	})).filter(({ title }) => title !== "path" && (title !== "function" || special.function));

	return [pagedTable(columns, table.rows, caption), table.rows.length >= 500
		? el("p", { class: "note" }, "The first 500, by " + (special.sorted || "instructions") + ".") : null].filter((part) => part);
}

addPart("lines", "Hot lines", "Lines of source by the instructions that they executed. Executions are those of " +
	"the line's instruction that ran most.", "lines", (body, lines) => {
	const known = { ...lines, rows: lines.rows.filter((row) => row[0]) };

	if (!known.rows.length)
		body.append(el("p", { class: "absent" }, "Lines are not known: there is no debugging information, or the " +
			"files that have it are not here."));
	else
		body.append(...hotTable(known, "Hot lines", { function: (name) => nameLink(name),
			line: (line, at) => el("span", { class: "name", title: at("path") || line }, line) }));
}, "Lines");

addPart("loops", "Loops", "Loops by the instructions in them. Trips are iterations for each time that the loop " +
	"was entered.", "loops", (body, loops) => {
	if (!loops.rows.length)
		body.append(el("p", { class: "absent" }, "No loop ran."));
	else
		body.append(...hotTable(loops, "Loops", { place: (place, at) => nameLink(place, at("function")) }));
});

addPart("syscalls", "System calls", "What the program asked of the kernel, and how often that failed.", "syscalls",
	(body, calls) => {
		if (!calls.length) {
			body.append(el("p", { class: "absent" }, "None is recorded."));
			return;
		}
		// Ordinals are each thread's own.
		const place = (insn, thread) => el("span", { class: "breaks" },
			count(insn) + (data.threads.length > 1 ? " of " + threadName(thread) : ""));

		body.append(pagedTable([
			{ title: "call", name: true, cell: ([name]) => name },
			{ title: "calls", number: true, cell: ([, times]) => count(times) },
			{ title: "failed", number: true, cell: ([, , failed]) => failed
				? el("span", { class: "warn" }, count(failed)) : "0" },
			{ title: "first at", number: true, spare: true, by: ([, , , first]) => first,
				cell: ([, , , first, , thread]) => place(first, thread) },
			{ title: "last at", number: true, by: ([, , , , last]) => last,
				cell: ([, , , , last, , thread]) => place(last, thread) },
		], [...calls].sort((a, b) => b[1] - a[1]), "System calls"));
	}, "Syscalls");

addPart("marks", "Markers", "What the program marked in its own run: see waymark-mark(7).", "marks", (body, marks) => {
	const kinds = ["point", "begin", "end"];

	if (!marks.in_all) {
		body.append(el("p", { class: "absent" }, "The program has none."));
		return;
	}
	body.append(pagedTable([
		{ title: "marker", name: true, cell: ([, kind, id]) => (kinds[kind] || "kind " + kind) + " " + id },
		{ title: "thread", cell: ([thread]) => threadName(thread) },
		{ title: "at instruction", number: true, by: ([, , , insn]) => insn, cell: ([, , , insn]) => count(insn) },
	], marks.list, "Markers"));
	if (marks.in_all > marks.list.length)
		body.append(el("p", { class: "note" }, "The first " + count(marks.list.length) + " of " +
			count(marks.in_all) + "."));
});
