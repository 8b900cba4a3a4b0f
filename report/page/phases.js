// SPDX-License-Identifier: GPL-2.0-or-later
// The phases of the busiest thread: which blocks ran when, and which intervals are alike.

const DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const shadeOf = Array.from({ length: 128 }, (_, code) =>
	Math.max(0, DIGITS.indexOf(String.fromCharCode(code))));

// How strong a shade is to look, when `most` is the darkest; none is nothing at all.
function strength(shade, most) {
	return shade ? 0.4 + 0.6 * shade / most : 0;
}

function darkest(rows) {
	let most = 1;

	for (const row of rows)
		for (let x = 0; x < row.length; x++)
			most = Math.max(most, shadeOf[row.charCodeAt(x)]);
	return most;
}

// A picture of rows of shades, from one colour to another; points of shade 0 are left clear
// when `clear`.
function paintShades(rows, width, from, to, clear) {
	const canvas = el("canvas", { width, height: rows.length });
	const context = canvas.getContext("2d");
	const image = context.createImageData(width, rows.length);
	const low = channels(from), high = channels(to);
	const most = darkest(rows);

	rows.forEach((row, y) => {
		for (let x = 0; x < width; x++) {
			const code = shadeOf[row.charCodeAt(x)];
			const shade = clear ? strength(code, most) : code / 63;
			const at = (y * width + x) * 4;

			for (let i = 0; i < 3; i++)
				image.data[at + i] = low[i] + (high[i] - low[i]) * shade;
			image.data[at + 3] = clear && !shade ? 0 : 255;
		}
	});
	context.putImageData(image, 0, 0);
	return canvas;
}

// ---- which blocks ran when ----------------------------------------------------------------

function scatterText(phases, insn, y) {
	const scatter = phases.scatter;
	const row = scatter.blocks[Math.floor(y)];
	const column = Math.floor((insn - phases.from) / scatter.column_width);

	if (!row || column < 0 || column >= scatter.columns)
		return "";
	const [id, name, offset, , shades] = row;
	const share = (shadeOf[shades.charCodeAt(column)] / 63) ** 2;
	return "block " + count(id) + " · " + shortOf(name) + (offset ? "+0x" + offset.toString(16) : "") +
		" · " + (share ? "about " + percent(share) : "nothing") + " of " + brief(scatter.column_insns) +
		" instructions from " + brief(phases.from + Math.floor(column * scatter.column_width));
}

function drawScatter(host, phases) {
	const scatter = phases.scatter;
	const readout = el("p", { class: "readout", role: "status" });
	const timeline = timelineViews[phases.thread];
	const view = timeline || makeView(phases.from, phases.from + phases.insns, scatter.column_insns);
	let picture;

	onTheme(() => {
		picture = paintShades(scatter.blocks.map((row) => row[4]), scatter.columns, "sheet", "accent", true);
	});
	if (!timeline)
		host.append(viewTools(view));
	const plot = makePlot(host, view, {
		label: "The " + scatter.blocks.length + " hottest blocks, in the order in which they first ran, over " +
			"the instructions of " + threadName(phases.thread) + "; plus and minus zoom, arrows move, Home shows all",
		height: 330, y: [0, scatter.blocks.length], crossY: true,
		series: [{ show: true, points: { show: false }, width: 0 }],
		yAxis: { label: "blocks, the first that ran at the bottom", size: 56, space: 40, values: (u, splits) => splits.map((value) => value % 1 ? "" : String(value)) },
		columns: (low, high) => [[low, high], [null, null]],
		draw: (u) => {
			const left = u.valToPos(phases.from, "x", true);
			const right = u.valToPos(phases.from + scatter.columns * scatter.column_width, "x", true);
			const context = u.ctx;

			context.save();
			context.beginPath();
			context.rect(u.bbox.left, u.bbox.top, u.bbox.width, u.bbox.height);
			context.clip();
			context.imageSmoothingEnabled = false;
			// Rows count from the bottom, as the axis does.
			context.translate(0, u.bbox.top + u.bbox.height);
			context.scale(1, -1);
			context.drawImage(picture, left, 0, right - left, u.bbox.height);
			context.restore();
		},
		hover: (insn, y) => { readout.textContent = scatterText(phases, insn, y); },
		leave: () => { readout.textContent = ""; },
	});
	host.append(readout);
	return plot;
}

// ---- which intervals are alike --------------------------------------------------------------

function similarText(phases, row, column) {
	const group = phases.similar.group;
	const distance = shadeOf[phases.similar.rows[row].charCodeAt(column)] / 63;
	const place = (index) => brief(phases.from + index * group * phases.interval);

	return "from " + place(row) + " and from " + place(column) + ": " +
		percent(1 - distance) + " in common";
}

function drawSimilar(host, phases) {
	const rows = phases.similar.rows;
	const readout = el("p", { class: "readout", role: "status" });
	const canvas = el("canvas", { class: "picture", width: rows.length, height: rows.length, tabindex: "0",
		role: "img", "aria-label": "How alike intervals are, each with each: the stronger, the more alike; " +
			"arrows move over it" });
	const at = { row: 0, column: 0 };
	const tell = (row, column) => {
		at.row = Math.min(rows.length - 1, Math.max(0, row));
		at.column = Math.min(rows.length - 1, Math.max(0, column));
		readout.textContent = similarText(phases, at.row, at.column);
	};
	const keys = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };

	onTheme(() => {
		const dark = document.documentElement.dataset.theme === "dark";

		canvas.getContext("2d").drawImage(paintShades(rows, rows.length, "accent", dark ? "paper" : "sheet", false), 0, 0);
	});
	canvas.addEventListener("mousemove", (event) => {
		const box = canvas.getBoundingClientRect();

		tell(Math.floor((event.clientY - box.top) / box.height * rows.length),
			Math.floor((event.clientX - box.left) / box.width * rows.length));
	});
	canvas.addEventListener("mouseleave", () => { readout.textContent = ""; });
	canvas.addEventListener("keydown", (event) => {
		const by = keys[event.key];

		if (by) {
			event.preventDefault();
			tell(at.row + by[0], at.column + by[1]);
		}
	});
	host.append(canvas, readout);
}

// Beyond the eight colours come the same ones darker, so that neighbours in the band differ.
function phaseColour(phase) {
	const dark = 0.6 ** Math.floor(phase / 8);

	return "rgb(" + channels("s" + phase % 8).map((part) => Math.round(part * dark)).join() + ")";
}

// A band over the whole thread: which phase each interval is of.
function drawStrip(host, phases) {
	const canvas = el("canvas", { class: "strip", width: phases.labels.length, height: 1, role: "img",
		"aria-label": "Phases of the intervals, from the first to the last" });

	onTheme(() => {
		const context = canvas.getContext("2d");

		phases.labels.forEach((phase, i) => {
			context.fillStyle = phaseColour(phase);
			context.fillRect(i, 0, 1, 1);
		});
	});
	host.append(canvas);
}

function phaseTable(phases) {
	const rows = phases.phases.map(([weight, size, interval], index) => ({ weight, size, interval, index }));

	return makeTable([
		{ title: "phase", cell: (row) => {
			const swatch = el("span", { class: "swatch" });

			onTheme(() => { swatch.style.background = phaseColour(row.index); });
			return el("span", null, swatch, String(row.index));
		} },
		{ title: "weight", number: true, cell: (row) => percent(row.weight) },
		{ title: "intervals", number: true, cell: (row) => count(row.size) },
		{ title: "SimPoint", number: true, cell: (row) => brief(phases.from + row.interval * phases.interval) },
	], rows, "Phases");
}

addPart("phases", "Phases", "Which of the hottest blocks ran when, from the first that ran at the bottom; and " +
	"which intervals of the run are alike. The SimPoint of a phase is where the interval begins that stands " +
	"for it. The blocks show the same part of the thread as the timeline.", "phases", (body, phases) => {
	const scatter = el("div", { class: "scatter" });
	const similar = el("div");
	const table = el("div", { class: "legend" });
	const last = phases.insns - phases.intervals * phases.interval;

	body.append(el("h3", null, "Blocks over instructions"), scatter,
		el("div", { class: "pair" }, el("div", null, el("h3", null, "Likeness of intervals"), similar,
			el("p", { class: "axis" }, el("span", null, "first interval"), el("span", null, "the stronger, the more alike"),
				el("span", null, "last"))),
			el("div", null, el("h3", null, "Phases"), table)));
	drawScatter(scatter, phases);
	drawSimilar(similar, phases);
	drawStrip(table, phases);
	table.append(el("div", { class: "scroll" }, phaseTable(phases)));
	body.append(el("p", { class: "note" }, threadName(phases.thread) + ", in " +
		plural(phases.intervals, "interval") + " of " + count(phases.interval) + " instructions" +
		(phases.intervals > 1 && last > 0 ? "; the last " + count(last) + " are in none" : "") +
		(phases.similar.group > 1 ? "; a point of the likeness stands for " + phases.similar.group + " of them" : "") +
		". A block's shade is its share of " + count(phases.scatter.column_insns) + " instructions."));
}, "Phases");
