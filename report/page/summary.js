// SPDX-License-Identifier: GPL-2.0-or-later
// What the trace is, at the top; where it comes from, at the end.

function fact(key) {
	const found = data.provenance.find((pair) => pair[0] === key);

	return found ? found[1] : null;
}

function startedText() {
	const seconds = Number(fact("started"));

	return seconds ? new Date(seconds * 1000).toISOString().replace("T", " ").replace(/\.\d+Z/, " UTC")
		: null;
}

function endText({ status, signal }) {
	if (status === -1)
		return null;
	return signal ? "killed by signal " + (status & 127) + " (" + signal + ")" : "exit status " + (status >> 8 & 255);
}

// What the page is about when that is not the whole run; null when it is.
function partText(summary) {
	const some = [];

	if (summary.asked_threads < summary.threads)
		some.push(summary.asked_threads + " of " + plural(summary.threads, "thread"));
	if (summary.from || summary.to !== null)
		some.push("instructions " + count(summary.from) + " to " +
			(summary.to === null ? "the end" : count(summary.to)) + " of each thread");
	return some.length ? "Only a part of the run: " + some.join(", ") + "." : null;
}

// Three digits that count; all of them before the point.
function density(bits) {
	return bits < 100 ? bits.toPrecision(3) : count(bits);
}

function tile(value, text) {
	return el("li", null, el("b", null, value), el("span", null, text));
}

function summaryTiles(summary) {
	const process = data.processes[0];
	const end = process && endText(process);
	const tiles = [
		tile(brief(summary.insns), "instructions"),
		tile(brief(summary.blocks), (summary.blocks === 1 ? "block, " : "blocks, ") + count(summary.known_blocks) + " distinct"),
		tile(count(summary.threads), (summary.threads === 1 ? "thread" : "threads") + ", " +
			plural(summary.processes, "process", "processes")),
	];

	if (summary.seconds !== null)
		tiles.push(tile(secondsText(summary.seconds), "to record" + (end ? ", " + end : "")));
	if (summary.all_insns)
		tiles.push(tile(bytesText(summary.bytes), density(summary.bytes * 8 / summary.all_insns) +
			" bits per instruction"));
	return el("ul", { class: "tiles" }, ...tiles);
}

// How much of it was counted.
function passed(summary) {
	return (summary.passed_exact ? "" : "at least ") + plural(summary.passed, "instruction");
}

// What ran and is not in the trace; null when nothing did.
function gapsText(summary) {
	// A flight recorder keeps the end; a window that did not open leaves out all of a thread.
	if (!summary.gaps && summary.passed)
		return "Of the run, " + passed(summary) +
			(fact("last") ? " before this were not kept." : " were not recorded.");
	if (!summary.gaps)
		return null;
	return "Not all of the run is recorded: it has " + plural(summary.gaps, "gap") + ", in which " +
		(summary.passed ? passed(summary) + " ran." :
			"instructions were not counted.");
}

function warnings(summary) {
	const texts = [partText(summary), gapsText(summary)];

	if (!summary.complete)
		texts.push("The trace is not complete: " + (summary.cut || "its end is missing") + ".");
	if (summary.uncertain)
		texts.push("Of the instructions, at most " + count(summary.uncertain) + " may not have run.");
	return texts.filter((text) => text).map((text) => el("p", { class: "note warn" }, text));
}

// The program of the first process, without its folders.
// A whole machine runs no one program: its first process is any.
function programName() {
	const first = data.processes[0];

	if (baseName(fact("qemu") || "").startsWith("qemu-system-"))
		return fact("guest-isa") + " machine";
	return first && first.path ? baseName(first.path) : "A trace";
}

function fillSummary() {
	const summary = data.summary;
	const isa = fact("guest-isa"), qemu = fact("qemu-version");
	const run = [isa && qemu ? isa + " under QEMU " + qemu : isa, startedText()];

	document.title = programName() + " – Waymark report";
	document.getElementById("main").append(el("section", { id: "summary", class: "plain" },
		el("h1", null, programName()),
		el("p", { class: "command name", title: fact("command") }, fact("command")),
		el("p", { class: "lede" }, run.filter((text) => text).join(" · ")),
		summaryTiles(summary), ...warnings(summary)));
}

// ---- the functions of all ---------------------------------------------------------------

addPart("functions", "Functions", "Instructions that functions executed themselves, the most first; " +
	"exact counts. " + (data.functions.inlined ? "Inlined functions are functions here, wherever they were inlined."
	: "Inlined functions count in those around them."), "functions", (body, counted) => {
	const functions = counted.inlined || counted;
	const all = data.summary.insns;
	let sum = 0;

	if (!functions.in_all) {
		body.append(el("p", { class: "absent" }, "Nothing ran in what was asked for."));
		return;
	}
	const rows = functions.hottest.map(([name, insns]) => {
		sum += insns;
		return { name, insns, sum };
	});

	body.append(pagedTable([
		{ title: "function", name: true, cell: (row) => nameCell(row.name) },
		{ title: "file", spare: true, cell: (row) => el("span", { class: "muted" }, baseName(moduleOf(row.name))) },
		{ title: "", kind: "meters", cell: (row) => meter(row.insns / all) },
		{ title: "share", number: true, by: (row) => row.insns, cell: (row) => percent(row.insns / all) },
		{ title: "together", number: true, spare: true, by: (row) => row.sum, cell: (row) => percent(row.sum / all) },
		{ title: "instructions", number: true, by: (row) => row.insns, cell: (row) => count(row.insns) },
	], rows, "Functions with the most instructions"));
	if (functions.in_all > rows.length)
		body.append(el("p", { class: "note" }, "The first " + count(rows.length) + " of " +
			plural(functions.in_all, "function") + "."));
});

// ---- where it comes from ------------------------------------------------------------------

const factNames = { command: "command", "guest-isa": "guest", qemu: "emulator", "qemu-version": "QEMU",
	waymark: "recorded by Waymark", host: "host", started: "started", unfollowed: "not followed" };

function provenanceList() {
	const list = el("dl", { class: "facts" });

	for (const [key, value] of data.provenance.filter(([, text]) => text)) {
		list.append(el("dt", null, factNames[key] || key),
			el("dd", { class: "name" }, key === "started" ? startedText() || value : value));
	}
	list.append(el("dt", null, "page made by"), el("dd", { class: "name" }, data.summary.made_by));
	return list;
}

addPart("provenance", "Provenance", "Where this comes from: the run, and what recorded it.", "provenance",
	(body) => {
		const processes = makeTable([
			{ title: "process", number: true, cell: (row) => String(row.index) },
			{ title: "pid", number: true, cell: (row) => String(row.pid) },
			{ title: "parent", number: true, cell: (row) => row.parent === null ? "–" : String(row.parent) },
			{ title: "program", name: true, cell: (row) => row.path },
			{ title: "ended", cell: (row) => endText(row) || "not known" },
		], data.processes.map((process, index) => Object.assign({ index }, process)), "Processes");
		const threads = makeTable([
			{ title: "thread", cell: (row) => threadName(row.index) },
			{ title: "process", number: true, cell: (row) => String(row.process) },
			{ title: "tid", number: true, cell: (row) => row.tid ? String(row.tid) : "–" },
			{ title: "instructions", number: true, cell: (row) => count(row.insns) },
		], data.threads.map((thread, index) => Object.assign({ index }, thread)), "Threads");

		body.append(provenanceList(), el("div", { class: "columns", style: { marginTop: "18px" } },
			el("div", { class: "scroll" }, processes), el("div", { class: "scroll" }, threads)));
		if (data.processes.length < data.summary.processes || data.threads.length < data.summary.threads)
			body.append(el("p", { class: "note" }, "The first of " +
				plural(data.summary.processes, "process", "processes") + " and " +
				plural(data.summary.threads, "thread") + "."));
	});
