// SPDX-License-Identifier: GPL-2.0-or-later
// What a machine's Linux did until its first program ran: the longest steps as bars over time, and
// all that are shown as a table.

const BOOT_BARS = 40;
const BOOT_KINDS = { start: "s0", init: "s1", initcall: "s2", async: "s3" };

function bootStep([begin, ns, insns, kind, name, thread]) {
	return { begin, ns, insns, kind, name, thread };
}

// A bar that is too short to be seen is as wide as a line.
function bootBar(step, all) {
	const bar = el("i", { style: { left: 100 * step.begin / all + "%",
		width: "max(1px, " + 100 * step.ns / all + "%)" } });

	onTheme(() => { bar.style.background = colour(BOOT_KINDS[step.kind]); });
	return el("li", null, el("span", { class: "name" }, nameCell(step.name)),
		el("span", { class: "span", title: step.kind + ", from " + secondsText(step.begin / 1e9) + ", " +
			secondsText(step.ns / 1e9) }, bar),
		el("span", { class: "n" }, secondsText(step.ns / 1e9)));
}

addPart("boot", "Boot", "What the machine's Linux did until its first program ran: the steps of its start, its " +
	"initcalls, and what these left for later. A step contains those that it called.", "boot", (body, boot) => {
	const steps = boot.steps.map(bootStep);
	const all = Math.max(boot.program_ns || 0, ...steps.map((step) => step.begin + step.ns), 1);
	const longest = [...steps].sort((a, b) => b.ns - a.ns).slice(0, BOOT_BARS).sort((a, b) => a.begin - b.begin);

	if (boot.program)
		body.append(el("p", null, el("b", null, boot.program), " began after " + secondsText(boot.program_ns / 1e9) +
			"."));
	body.append(el("ol", { class: "spans", "aria-label": "The longest steps over time" },
		...longest.map((step) => bootBar(step, all))));
	body.append(el("p", { class: "axis" }, el("span", null, "0" + NARROW + "s"), el("span", null, "time"),
		el("span", null, secondsText(all / 1e9))));
	body.append(pagedTable([
		{ title: "step", name: true, by: (step) => step.name, cell: (step) => nameCell(step.name) },
		{ title: "kind", cell: (step) => step.kind },
		{ title: "begin", number: true, by: (step) => step.begin, cell: (step) => secondsText(step.begin / 1e9) },
		{ title: "time", number: true, by: (step) => step.ns, cell: (step) => secondsText(step.ns / 1e9) },
		{ title: "instructions", number: true, by: (step) => step.insns, cell: (step) => count(step.insns) },
	], steps, "Steps of the boot"));
	if (boot.others)
		body.append(el("p", { class: "note" }, count(boot.others) + " shorter steps took " +
			secondsText(boot.others_ns / 1e9) + " together."));
	body.append(el("p", { class: "note" }, "Times are known at traps, interrupts and switches; what is between two " +
		"of them is spread evenly. Instructions are exact."));
});
