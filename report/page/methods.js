// SPDX-License-Identifier: GPL-2.0-or-later
// A managed program: its methods, their lines, and bytecodes by what they do.

const TIERS = ["interpreted", "compiled", "optimised"];

// A method among the functions is "fib (fib.py:1)"; native code has a file without a line.
function methodLink(name, at) {
	const index = data.byName.get(name + " (" + at("source") + ")") || data.byName.get(name);

	return index ? nameCell(index, name) : methodText(name);
}

function methodText(name) {
	return el("span", { class: "name", title: name }, ...nameParts(name));
}

// Tiers are shares of a method's instructions, the rest of which was interpreted.
function methodTable(table, caption, special) {
	const place = (name) => table.columns.findIndex(([other]) => other === name);
	const at = (row) => (name) => row[place(name)];
	const ran = TIERS.filter((tier) => table.rows.some((row) => at(row)(tier)));
	const shown = ({ title }) => title !== "path" && (!TIERS.includes(title) ||
		ran.length > 1 && ran.includes(title) && title !== "interpreted");
	const cellOf = (name, type, value, row) => value !== null && TIERS.includes(name) ? percent(value / at(row)("insns"))
		: special[name] && value ? special[name](value, at(row)) : cellText(type, value);
	const sorted = (name, type, value, row) => type === "text" ? (value || "").toLowerCase() : value === null ? -1
		: TIERS.includes(name) ? value / at(row)("insns") : value;
	const columns = table.columns.map(([name, type], i) => ({
		title: name, number: type !== "text", name: type === "text",
		spare: ["share", "source", "method", ...TIERS].includes(name) && name !== special.first,
		by: (row) => sorted(name, type, row[i], row),
		cell: (row) => cellOf(name, type, row[i], row),
	})).filter(shown);

	return [pagedTable(columns, table.rows, caption), table.rows.length >= 500
		? el("p", { class: "note" }, "The first 500, by instructions.") : null].filter((part) => part);
}

// A line's number is not divided: "ArrayList.java" may end one line, and ":1049" begin the next.
function withPath(text, at) {
	const [, file, line] = text.match(/^(.*?)(:\d+)?$/s);

	return el("span", { class: "name whole", title: at("path") || text }, file, line ? el("wbr") : "",
		line ? el("span", { class: "whole" }, line) : "");
}

// How much of the run was in which tier: of bytecodes, or else of methods.
function tierText(rows) {
	const sums = TIERS.map((name, i) => [name, rows.reduce((sum, tiers) => sum + (tiers[i] || 0), 0)]);

	return sums.filter(([, sum]) => sum).map(([name, sum]) => percent(sum / data.summary.insns) + " " + name).join(", ");
}

addPart("methods", "Methods", "What the program's own language calls a function. A method has the instructions of " +
	"its bytecodes, with what the runtime did for them; native code that no method called has rows of its own.",
"methods", (body, methods) => {
	const places = TIERS.map((tier) => methods.columns.findIndex(([name]) => name === tier));
	const tiers = tierText(data.opcodes ? data.opcodes.map(([, , ...tiers]) => tiers)
		: methods.rows.map((row) => places.map((place) => row[place])));

	body.append(el("p", { class: "lede" }, tiers ? "Of all instructions, with what the runtime did for it: " + tiers +
		"." : "No method ran."),
		...methodTable(methods, "Methods", { method: methodLink, source: withPath, first: "method" }));
});

addPart("sources", "Lines of methods", "Lines of the methods' source by the instructions that their bytecodes took. " +
	"Executions are those of the line's bytecode that ran most.", "sources", (body, lines) => {
	const known = { ...lines, rows: lines.rows.filter((row) => row[0]) };

	if (!known.rows.length)
		body.append(el("p", { class: "absent" }, "The runtime told no lines."));
	else
		body.append(...methodTable(known, "Lines of methods",
			{ source: withPath, method: methodText, first: "source" }));
}, "Method lines");

addPart("opcodes", "Bytecodes", "What the bytecodes did, with what each took on average, but for optimised code: that has " +
	"instructions, and executes no bytecodes one after the other.", "opcodes", (body, opcodes) => {
	const all = (tiers) => tiers.reduce((sum, insns) => sum + insns, 0);
	const each = (times, tiers) => (tiers[0] + tiers[1]) / times;
	const tier = (name, i) => ({ title: name, number: true, spare: true, by: ([, , ...tiers]) => tiers[i],
		cell: ([, , ...tiers]) => count(tiers[i]) });

	if (!opcodes.length) {
		body.append(el("p", { class: "absent" }, "None was executed."));
		return;
	}
	body.append(pagedTable([
		{ title: "bytecode", name: true, cell: ([name]) => name || "(unknown)" },
		{ title: "executions", number: true, by: ([, times]) => times, cell: ([, times]) => count(times) },
		{ title: "insns", number: true, by: ([, , ...tiers]) => all(tiers), cell: ([, , ...tiers]) => count(all(tiers)) },
		{ title: "insns each", number: true, by: ([, times, ...tiers]) => times ? each(times, tiers) : -1,
			cell: ([, times, ...tiers]) => times ? real(each(times, tiers)) : "" },
		...TIERS.map(tier).filter((column, i) => opcodes.some(([, , ...tiers]) => tiers[i])),
	], opcodes, "Bytecodes"));
});
