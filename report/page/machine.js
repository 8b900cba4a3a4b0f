// SPDX-License-Identifier: GPL-2.0-or-later
// What the harts of a whole machine ran when, by program.

function machineColour(machine, s) {
	return colour("s" + (s < machine.series.length ? s : 8));
}

function machineName(machine, s) {
	return s < machine.series.length ? machine.series[s][0] : "other programs";
}

// Columns of stacked shares; below them a line of how often the hart switched.
function paintHart(canvas, machine, hart) {
	const context = canvas.getContext("2d");
	const height = canvas.height - 6;

	context.clearRect(0, 0, canvas.width, canvas.height);
	for (let x = 0; x < canvas.width; x++) {
		let y = height;

		hart.shares.forEach((shades, s) => {
			const share = shadeOf[shades.charCodeAt(x)] / 63 * height;

			context.fillStyle = machineColour(machine, s);
			context.fillRect(x, y - share, 1, share);
			y -= share;
		});
	}
	context.drawImage(paintShades([hart.rate], canvas.width, "sheet", "accent", true), 0, height + 2,
		canvas.width, 4);
}

function hartText(machine, hart, bin) {
	const ran = hart.shares.map((shades, s) => [shadeOf[shades.charCodeAt(bin)] / 63, machineName(machine, s)])
		.filter(([share]) => share).sort((a, b) => b[0] - a[0]).slice(0, 4)
		.map(([share, name]) => name + " about " + percent(share));
	const switches = Math.round(shadeOf[hart.rate.charCodeAt(bin)] / 63 * machine.most_switches);

	return "from " + secondsText(bin * machine.bin_ns / 1e9) + ": " +
		(ran.length ? ran.join(", ") : "nothing") + "; " + plural(switches, "switch", "switches");
}

function drawHart(host, machine, hart, number) {
	const bins = hart.rate.length;
	const canvas = el("canvas", { class: "strip", width: bins, height: 56, tabindex: "0", role: "img",
		style: { height: "64px" }, "aria-label": "Programs on hart " + number + " over time; arrows move over it" });
	const readout = el("p", { class: "readout", role: "status" });
	let at = 0;
	const tell = (bin) => {
		at = Math.min(bins - 1, Math.max(0, bin));
		readout.textContent = hartText(machine, hart, at);
	};

	onTheme(() => paintHart(canvas, machine, hart));
	canvas.addEventListener("mousemove", (event) => {
		const box = canvas.getBoundingClientRect();

		tell(Math.floor((event.clientX - box.left) / box.width * bins));
	});
	canvas.addEventListener("mouseleave", () => { readout.textContent = ""; });
	canvas.addEventListener("keydown", (event) => {
		const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];

		if (by) {
			event.preventDefault();
			tell(at + by);
		}
	});
	host.append(el("h3", null, "hart " + number + ", " + plural(hart.switches, "switch", "switches")), canvas,
		el("p", { class: "axis" }, el("span", null, "0" + NARROW + "s"), el("span", null, "time, and share of it"),
			el("span", null, secondsText(machine.ns / 1e9))), readout);
}

addPart("machine", "Harts", "What each hart ran, from the first switch to the end: the share of its time that " +
	"each program had, with what the kernel did for it. The line below says how often it switched to " +
	"another thread.", "machine", (body, machine) => {
	const all = machine.ns * machine.harts.length;
	const rows = machine.series.map(([name, ns], s) => ({ name, ns, s }));

	if (machine.others_ns)
		rows.push({ name: "other programs", ns: machine.others_ns, s: 8 });
	machine.harts.forEach((hart, number) => drawHart(body, machine, hart, number));
	body.append(el("div", { class: "scroll legend" }, makeTable([
		{ title: "program", cell: (row) => {
			const swatch = el("span", { class: "swatch" });

			onTheme(() => { swatch.style.background = machineColour(machine, row.s); });
			return el("span", null, swatch, row.name);
		} },
		{ title: "time", number: true, cell: (row) => secondsText(row.ns / 1e9) },
		{ title: "share", number: true, cell: (row) => percent(row.ns / all) },
	], rows, "Programs on harts")));
	body.append(el("p", { class: "note" }, "Times are those of the recording; the finest detail is " +
		secondsText(machine.bin_ns / 1e9) + ". What is in no process is the kernel's."));
});
