// SPDX-License-Identifier: GPL-2.0-or-later
// Which memory a thread accessed when, how much of it, and what caches would have missed: three
// charts over the same instructions as the timeline.

const MAP_KINDS = ["all accesses", "loads", "stores"];
const NARROW_BOX = 620; // below that, labels of addresses are cut

function regionName(region) {
	return region[2].startsWith("/") || region[2].startsWith("[") ? baseName(region[2]) : region[2];
}

function regionOf(memory, row) {
	return memory.regions.find(([first, end]) => row >= first && row < end);
}

// About how many accesses a shade stands for.
function accessesOf(memory, shade) {
	return shade ? Math.exp((shade - 1) / 62 * Math.log(memory.most)) : 0;
}

// Two digits that count: more are not known.
function about(n) {
	const unit = 10 ** Math.max(0, Math.floor(Math.log10(Math.max(n, 1))) - 1);

	return brief(Math.round(n / unit) * unit);
}

function addressPlus(address, bytes) {
	return "0x" + (BigInt(address) + BigInt(bytes)).toString(16);
}

// Rows of shades of one kind; of all accesses, those of the sum.
function mapShades(memory, kind) {
	if (kind)
		return memory.rows.map((row) => row[kind]);
	return memory.rows.map(([, loads, stores]) => {
		let both = "";

		for (let x = 0; x < loads.length; x++) {
			const sum = accessesOf(memory, shadeOf[loads.charCodeAt(x)]) +
				accessesOf(memory, shadeOf[stores.charCodeAt(x)]);

			both += DIGITS[sum ? Math.min(63, Math.round(1 + 62 * Math.log(sum) /
				Math.max(Math.log(memory.most), 1e-9))) : 0];
		}
		return both;
	});
}

function mapText(memory, insn, y) {
	const row = memory.rows[Math.floor(y)];
	const column = Math.floor((insn - memory.from) / memory.width);

	if (!row || column < 0 || column >= memory.columns)
		return "";
	const name = regionName(regionOf(memory, Math.floor(y)));
	const [loads, stores] = [1, 2].map((kind) =>
		accessesOf(memory, shadeOf[row[kind].charCodeAt(column)]));
	const parts = [[loads, "loads"], [stores, "stores"]].filter(([n]) => n)
		.map(([n, what]) => "about " + about(n) + " " + what);

	return (name ? name + " · " : "") + row[0] + " to " + addressPlus(row[0], memory.row_bytes) + " · " +
		(parts.join(" and ") || "nothing") + " in " + brief(memory.width) + " instructions from " +
		brief(memory.from + column * memory.width);
}

// Where labels stand, and what they say: the regions that have room for one.
function mapLabels(memory) {
	const least = memory.rows.length / 9;
	const labels = [];

	for (const region of memory.regions) {
		const middle = (region[0] + region[1]) / 2;
		const last = labels[labels.length - 1];

		if (region[1] - region[0] >= least && (!last || middle - last.at >= least))
			labels.push({ at: middle, name: regionName(region), address: memory.rows[region[0]][0] });
	}
	return labels;
}

function cutText(text, most) {
	return text.length <= most ? text : text.slice(0, most - 1) + "…";
}

function axisSize(plot) {
	return plot && plot.width < NARROW_BOX ? 84 : 128;
}

function mapAxis(memory) {
	const labels = mapLabels(memory);

	return {
		size: axisSize, grid: { show: false },
		splits: () => labels.map((label) => label.at),
		values: (plot) => labels.map(({ name, address }) => {
			const most = plot.width < NARROW_BOX ? 8 : 17;

			return name ? cutText(name, most) + "\n" + (address.length <= most ? address : "") :
				cutText(address, most);
		}),
	};
}

// The picture, and a line between regions.
function drawMap(memory, plot, picture) {
	const context = plot.ctx;
	const left = plot.valToPos(memory.from, "x", true);
	const right = plot.valToPos(memory.from + memory.columns * memory.width, "x", true);

	context.save();
	context.beginPath();
	context.rect(plot.bbox.left, plot.bbox.top, plot.bbox.width, plot.bbox.height);
	context.clip();
	context.imageSmoothingEnabled = false;
	context.strokeStyle = colour("line");
	context.beginPath();
	for (const [first] of memory.regions.slice(1)) {
		const y = plot.valToPos(first, "y", true);

		context.moveTo(plot.bbox.left, y);
		context.lineTo(plot.bbox.left + plot.bbox.width, y);
	}
	context.stroke();
	// Rows count from the bottom, as the axis does.
	context.translate(0, plot.bbox.top + plot.bbox.height);
	context.scale(1, -1);
	context.drawImage(picture, left, 0, right - left, plot.bbox.height);
	context.restore();
}

function drawAccesses(host, memory, view) {
	const readout = el("p", { class: "readout", role: "status" });
	const pictures = [];
	let kind = 0;

	onTheme(() => {
		MAP_KINDS.forEach((_, k) => {
			pictures[k] = paintShades(mapShades(memory, k), memory.columns, "sheet", "accent", true);
		});
	});
	const buttons = MAP_KINDS.map((name, k) => el("button", { type: "button",
		"aria-pressed": String(!k), click: () => {
			kind = k;
			buttons.forEach((button, i) => button.setAttribute("aria-pressed", String(i === k)));
			plot.redraw(false, false);
		} }, name));

	host.append(el("div", { class: "tools kinds", role: "group", "aria-label": "What the map shows" }, ...buttons));
	const plot = makePlot(host, view, {
		label: "Which memory " + threadName(memory.thread) + " accessed, over its instructions; plus and minus " +
			"zoom, arrows move, Home shows all",
		height: 340, y: [0, memory.rows.length], crossY: true,
		series: [{ show: true, points: { show: false }, width: 0 }],
		yAxis: mapAxis(memory),
		columns: (low, high) => [[low, high], [null, null]],
		draw: (u) => drawMap(memory, u, pictures[kind]),
		hover: (insn, y) => { readout.textContent = mapText(memory, insn, y); },
		leave: () => { readout.textContent = ""; },
	});
	host.append(readout);
}

// Numbers of columns as uPlot's data: those that are seen, stepped.
function stepColumns(memory, low, high, series) {
	const first = Math.max(0, Math.floor((low - memory.from) / memory.width));
	const last = Math.min(memory.columns, Math.ceil((high - memory.from) / memory.width));
	const x = [];

	for (let i = first; i <= last; i++)
		x.push(memory.from + i * memory.width);
	return [x].concat(series.map((values) =>
		x.map((_, i) => values[Math.min(first + i, memory.columns - 1)])));
}

// A chart of lines; `lines` are { values, colour }, text(column) says what is pointed at.
function drawLines(host, memory, view, spec) {
	const readout = el("p", { class: "readout", role: "status" });
	const most = Math.max(...spec.lines.map((line) => Math.max(...line.values)), 1e-9);

	makePlot(host, view, {
		label: spec.label, height: 150, y: [0, most * 1.05],
		series: spec.lines.map((line) => ({
			paths: uPlot.paths.stepped({ align: 1 }), points: { show: false }, width: 1.5,
			stroke: () => colour(line.colour),
		})),
		yAxis: Object.assign({ size: axisSize, space: 30,
			values: (u, splits) => splits.map(spec.unit) }, spec.steps ? { incrs: spec.steps } : {}),
		columns: (low, high) => stepColumns(memory, low, high, spec.lines.map((line) => line.values)),
		hover: (insn) => {
			const column = Math.floor((insn - memory.from) / memory.width);

			readout.textContent = column < 0 || column >= memory.columns ? "" : spec.text(column) +
				" · instructions from " + brief(memory.from + column * memory.width);
		},
		leave: () => { readout.textContent = ""; },
	});
	host.append(readout);
}

function sizeText(bytes) {
	return bytes >= 1 << 20 ? (bytes / (1 << 20)).toFixed(bytes < 10 << 20 ? 1 : 0) + NARROW + "MiB" :
		bytes >= 1024 ? (bytes / 1024).toFixed(bytes < 10 << 10 ? 1 : 0) + NARROW + "KiB" :
			Math.round(bytes) + NARROW + "B";
}

function drawTouched(host, memory, view) {
	drawLines(host, memory, view, {
		label: "How much memory was touched, in cache lines",
		lines: [{ values: memory.touched, colour: "accent" }], unit: sizeText,
		steps: Array.from({ length: 48 }, (_, power) => 2 ** power),
		text: (column) => sizeText(memory.touched[column]) + " touched",
	});
}

// Fewer digits than it takes to print them.
function rateText(rate) {
	return rate >= 100 || rate === 0 ? String(Math.round(rate)) : String(Number(rate.toPrecision(2)));
}

function drawMisses(host, memory, view) {
	const names = ["s0", "s1", "s2"];
	const perThousand = (misses) => misses.map((n) => n * 1000 / memory.width);
	const lines = memory.caches.map((cache, i) => ({ values: perThousand(cache.misses), colour: names[i] }));
	const keys = memory.caches.map((cache, i) => {
		const swatch = el("span", { class: "swatch" });

		onTheme(() => { swatch.style.background = colour(names[i]); });
		return el("li", null, swatch, cache.name + ", " + sizeText(cache.bytes) + ": " +
			count(cache.misses.reduce((a, b) => a + b, 0)) + " misses");
	});

	drawLines(host, memory, view, {
		label: "Misses of caches, for a thousand instructions", lines, unit: rateText,
		text: (column) => memory.caches.map((cache, i) =>
			cache.name + " " + rateText(lines[i].values[column])).join(", ") + " misses",
	});
	host.append(el("ul", { class: "keys" }, ...keys));
}

addPart("memory", "Memory", "Which memory was accessed when, the stronger the colour the more often; how much of it; and " +
	"the misses of data that caches would have had. Only memory that was accessed has rows: lines part regions of it. " +
	"The charts show the same part of the thread as the timeline.", "memory", (body, memory) => {
	const map = el("div"), touched = el("div"), misses = el("div");
	const timeline = timelineViews[memory.thread];
	const view = timeline ||
		makeView(memory.from, memory.from + memory.columns * memory.width, memory.width * 4);

	body.append(timeline ? "" : viewTools(view), el("h3", null, "Accesses"), map,
		el("h3", { class: "next" }, "Memory touched"), touched,
		el("h3", { class: "next" }, "Misses in a thousand instructions"), misses,
		el("h3", { class: "next" }, "Misses by function"),
		...hotTable(memory.functions, "Misses by function",
			{ function: (name) => nameLink(name), sorted: "misses of L1D" }));
	drawAccesses(map, memory, view);
	drawTouched(touched, memory, view);
	drawMisses(misses, memory, view);
	body.append(el("p", { class: "note" }, threadName(memory.thread) + ": " + count(memory.loads) + " loads and " +
		count(memory.stores) + " stores. A point of the map is " + plural(memory.width, "instruction") + " and " +
		sizeText(memory.row_bytes) + ". Memory touched is in cache lines of 64 bytes. The caches begin empty; ",
	el("code", null, "waymark cache"), " has other ones, and misses by line, object and method."));
}, "Memory");
