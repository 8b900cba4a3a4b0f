// SPDX-License-Identifier: GPL-2.0-or-later
// The page of a function: when it ran, who calls it and whom it calls, its source with counts
// and beside it its instructions. It stands in the place of all parts while the address ends
// in #function=NUMBER, so that the browser's own back button leads back.

// A strip from the thread's begin to its end, the stronger the more of it was the function's.
function whenStrip(index) {
	const strips = data.strips;
	const at = strips.names ? strips.names.indexOf(index) : -1;

	if (at < 0)
		return el("p", { class: "absent" }, data.functions.hottest.some(([name]) => name === index)
			? "It is not among the functions whose time is known."
			: "Its time is that of the functions that it was inlined into.");
	const shades = strips.shades[at];
	const canvas = el("canvas", { class: "strip when", width: shades.length, height: 1, role: "img",
		"aria-label": "When " + nameOf(index) + " ran" });

	onTheme(() => {
		const context = canvas.getContext("2d");

		context.clearRect(0, 0, shades.length, 1);
		[...shades].forEach((digit, x) => {
			const share = shadeOf[digit.charCodeAt(0)] / 63;

			context.globalAlpha = share ? 0.12 + 0.88 * share : 0.05;
			context.fillStyle = colour(share ? "accent" : "soft");
			context.fillRect(x, 0, 1, 1);
		});
	});
	return el("div", null, canvas, el("p", { class: "axis" }, el("span", null, brief(strips.from)),
		el("span", null, "instructions of " + threadName(strips.thread) +
			"; full colour: all of them are this function's"),
		el("span", null, brief(strips.to))));
}

// How strong a line or an instruction is marked: its executions beside the most in the list.
function heat(executions, most) {
	return { background: executions ? "color-mix(in srgb, var(--accent) " +
		Math.max(3, Math.round(34 * executions / most)) + "%, transparent)" : "none" };
}

function sourcePane(code, choose) {
	const counts = new Map();
	let most = 1;

	for (const [, , executions, line] of code.insns) {
		if (line)
			counts.set(line, Math.max(counts.get(line) || 0, executions));
		most = Math.max(most, executions);
	}
	const rows = code.lines.map((text, i) => {
		const line = code.first + i;
		const executions = counts.get(line);

		return el("tr", { class: "line", "data-line": line, click: () => choose(line) },
			el("td", { class: "n muted" }, String(line)),
			el("td", { class: "n", style: heat(executions, most) },
				executions === undefined ? "" : count(executions)),
			el("td", { class: "text" }, text || " "));
	});

	return el("div", null, el("h3", null, "Source: ", el("span", { title: pathOf(code.path) },
		baseName(pathOf(code.path)))),
	el("div", { class: "scroll tall code" }, el("table", { "aria-label": "Source, with executions of each line" },
		el("thead", null, el("tr", null, ...["line", "executions", "source"].map((title, i) =>
			el("th", { scope: "col", class: i < 2 ? "n" : null }, title)))),
		el("tbody", null, ...rows))));
}

// Instructions, or of a method its bytecodes, which took `insns` instructions.
function insnRow([address, text, executions, line, insns], most, choose) {
	const [, mnemonic, rest] = /^(\S+)\s*(.*)$/.exec(text) || ["", "", text, ""];

	return el("tr", { class: "line", "data-line": line || null, click: () => line && choose(line) },
		el("td", { class: "n", style: heat(executions, most) }, count(executions)),
		insns === undefined ? null : el("td", { class: "n" }, count(insns)),
		el("td", { class: "muted address" }, String(address)),
		el("td", { class: "text" }, el("span", { class: "what" }, (mnemonic + (rest ? " " : "")).padEnd(rest ? 8 : 0)), rest),
		el("td", { class: "n muted" }, line ? String(line) : ""));
}

function insnPane(code, choose) {
	const most = code.insns.reduce((top, [, , executions]) => Math.max(top, executions), 1);
	const [title, one, heads] = code.tiers
		? ["Bytecodes", "bytecode", ["executions", "insns", "offset", "bytecode", "line"]]
		: ["Instructions", "instruction", ["executions", "address", "instruction", "line"]];
	const numbers = ["executions", "insns", "line"];

	return el("div", null, el("h3", null, title),
		el("div", { class: "scroll tall code" }, el("table", { "aria-label": title + ", with executions of each" },
			el("thead", null, el("tr", null, ...heads.map((head) =>
				el("th", { class: numbers.includes(head) ? "n" : null, scope: "col" }, head)))),
			el("tbody", null, ...code.insns.map((insn) => insnRow(insn, most, choose))))),
		code.in_all > code.insns.length ? el("p", { class: "note" }, "The first " + count(code.insns.length) +
			" of " + plural(code.in_all, one) + (code.tiers ? "." : " that ran.")) : null);
}

function codePanes(code) {
	const box = el("div", { class: "columns" });
	const choose = (line) => {
		for (const row of box.querySelectorAll("tr.picked"))
			row.classList.remove("picked");
		for (const pane of box.children) {
			const rows = [...pane.querySelectorAll("[data-line='" + line + "']")];
			const scroll = pane.querySelector(".scroll");

			for (const row of rows)
				row.classList.add("picked");
			if (rows.length)
				scroll.scrollTop = rows[0].offsetTop - scroll.clientHeight / 3;
		}
	};

	if (code.lines && code.lines.length)
		box.append(sourcePane(code, choose));
	else
		box.classList.replace("columns", "single");
	box.append(insnPane(code, choose));
	return [code.lines && code.lines.length ? null : el("p", { class: "absent" }, code.lines
		? "The source file was not here when the page was made." : "The source of this code is not known."), box];
}

function callsOf(index) {
	const functions = data.calls.absent ? [] : readFunctions(data.calls);
	const fn = functions.find(({ name }) => name === index);
	const go = (other) => { location.hash = "function=" + other.name; };

	if (!fn)
		return el("p", { class: "absent" }, "Its calls are not known.");
	return el("div", { class: "columns" },
		el("div", null, el("h3", null, "Callers"), arcTable("Callers", fn.callers, fn.total, go)),
		el("div", null, el("h3", null, "Callees"), arcTable("Callees", fn.callees, fn.total, go)));
}

function methodFacts(code) {
	const insns = code.tiers.reduce((sum, n) => sum + n, 0);
	const ran = TIERS.map((name, i) => [name, code.tiers[i]]).filter(([, n]) => n);

	return [count(insns) + " instructions for its bytecodes, " + percent(insns / data.summary.insns) + " of all",
		"called " + plural(code.calls, "time"),
		ran.length > 1 ? ran.map(([name, n]) => percent(n / insns) + " " + name).join(", ") : ran.map(([name]) => name)[0]];
}

function factsOf(index, code) {
	const insnsIn = (functions) => (functions.hottest.find(([name]) => name === index) || [])[1];
	const insns = insnsIn(data.functions), own = data.functions.inlined && insnsIn(data.functions.inlined);
	const facts = code && code.tiers ? methodFacts(code) : [
		insns && count(insns) + " instructions of its own and of what was inlined into it, " +
			percent(insns / data.summary.insns) + " of all",
		own && own !== insns && count(own) + " instructions of its own, wherever it was inlined, " + percent(own / data.summary.insns) + " of all"];

	return [...facts, moduleOf(index)].filter((text) => text).join(" · ");
}

function showFunction(section, index) {
	const code = data.pages.get(index);
	const when = code && code.tiers ? [] : [el("h3", null, "When it ran"), whenStrip(index)];

	section.replaceChildren(el("p", { class: "tools" },
		el("a", { href: code && code.tiers ? "#methods" : "#functions" }, "← The whole report")),
	el("h2", { id: "function-title", class: "name" }, nameOf(index)), el("p", { class: "lede" }, factsOf(index, code)),
	...when, callsOf(index), ...(code ? codePanes(code) : [
		el("p", { class: "absent" }, "Its code is not in the page: it is not among the busiest functions.")])
		.filter((part) => part));
}

function followFunctions() {
	const section = el("section", { id: "function", hidden: true, "aria-labelledby": "function-title" });
	const main = document.getElementById("main");
	const follow = () => {
		const [, number] = /^#function=(\d+)$/.exec(location.hash) || [];
		const index = number && data.pages.has(Number(number)) ? Number(number) : 0;

		main.classList.toggle("one", Boolean(index));
		section.hidden = !index;
		if (index) {
			showFunction(section, index);
			scrollTo(0, 0);
		} else if (location.hash.length > 1) {
			const part = document.getElementById(location.hash.slice(1));

			if (part)
				part.scrollIntoView();
		}
	};

	main.append(section);
	addEventListener("hashchange", follow);
	follow();
}
