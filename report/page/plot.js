// SPDX-License-Identifier: GPL-2.0-or-later
// Charts over the instructions of a thread: zoomed and moved alike, by mouse, buttons and
// keys. Those of one thread show the same part.

// What part of a thread is seen: [low, high) of instructions within [from, to).
function makeView(from, to, least) {
	const view = { from, to, least: Math.min(least, to - from), low: from, high: to,
		listeners: [] };

	view.show = (low, high) => {
		const length = Math.min(Math.max(high - low, view.least), to - from);

		view.low = Math.min(Math.max(low, from), to - length);
		view.high = view.low + length;
		for (const listener of view.listeners)
			listener();
	};
	view.zoom = (factor, around) => {
		const at = around === undefined ? (view.low + view.high) / 2 : around;

		view.show(at - (at - view.low) / factor, at + (view.high - at) / factor);
	};
	view.move = (part) => {
		const by = (view.high - view.low) * part;

		view.show(view.low + by, view.high + by);
	};
	view.reset = () => view.show(from, to);
	return view;
}

function viewKeys(view, event) {
	const actions = {
		"+": () => view.zoom(2), "=": () => view.zoom(2), "-": () => view.zoom(0.5),
		ArrowLeft: () => view.move(-0.25), ArrowRight: () => view.move(0.25),
		Home: () => view.reset(), 0: () => view.reset(),
	};
	const action = actions[event.key];

	if (!action || event.ctrlKey || event.metaKey || event.altKey)
		return;
	event.preventDefault();
	action();
}

function viewTools(view) {
	const button = (text, label, click) =>
		el("button", { type: "button", "aria-label": label, title: label, click }, text);
	const where = el("output", { "aria-live": "polite" });
	const tools = el("div", { class: "tools" },
		button("+", "Zoom in", () => view.zoom(2)),
		button("−", "Zoom out", () => view.zoom(0.5)),
		button("←", "Move left", () => view.move(-0.25)),
		button("→", "Move right", () => view.move(0.25)),
		button("All", "Show all of it", () => view.reset()), where);
	const tell = () => {
		where.textContent = "instructions " + count(view.low) + " to " + count(view.high);
	};

	view.listeners.push(tell);
	tell();
	return tools;
}

// Ctrl and the wheel zoom around the pointer; Shift and the wheel, or a sideways one, move.
function viewWheel(view, plot, event) {
	const sideways = event.shiftKey ? event.deltaY || event.deltaX : event.deltaX;

	if (event.ctrlKey) {
		event.preventDefault();
		const left = event.clientX - plot.over.getBoundingClientRect().left;
		view.zoom(event.deltaY < 0 ? 1.4 : 1 / 1.4, plot.posToVal(left, "x"));
	} else if (sideways && (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY))) {
		event.preventDefault();
		view.move(Math.sign(sideways) * 0.1);
	}
}

const LABEL_HEIGHT = 18;

function axisOf(extra) {
	return Object.assign({
		stroke: () => colour("soft"),
		font: "12px system-ui, sans-serif",
		labelFont: "12px system-ui, sans-serif", labelSize: LABEL_HEIGHT, labelGap: 0,
		grid: { stroke: () => colour("grid"), width: 1 },
		ticks: { stroke: () => colour("line"), width: 1, size: 5 },
	}, extra);
}

// Tics are whole instructions, 1, 2 or 5 times a power of ten apart. Steps of 2.5 would need
// a digit more than axisLabels() gives: 2.5 M would be "3 M".
const TICS = Array.from({ length: 16 }, (_, power) => [1, 2, 5].map((step) => step * 10 ** power)).flat();

// Half of a long label, as "19.5602 M": the last tic's may stand at the end of the axis.
const LABEL_OVERHANG = 30;

// Labels with as many digits as tell neighbours apart.
function axisLabels(splits) {
	const step = splits.length > 1 ? splits[1] - splits[0] : 1;
	const unit = [1e12, 1e9, 1e6, 1e3, 1].find((size) => splits[splits.length - 1] >= size) || 1;
	const letter = { 1e12: "T", 1e9: "G", 1e6: "M", 1e3: "k", 1: "" }[unit];
	const digits = Math.max(0, Math.ceil(-Math.log10(step / unit) - 1e-9));

	return splits.map((value) => value === 0 ? "0" : (value / unit).toFixed(digits) + (letter ? NARROW + letter : ""));
}

// A chart in `host`. `spec`: label (for who cannot see it), height, y (its range), yAxis,
// series, columns(low, high) giving uPlot's data, draw(plot), hover(instruction, y, plot)
// and leave().
function makePlot(host, view, spec) {
	const box = el("div", { class: "plot", tabindex: "0", role: "img", "aria-label": spec.label,
		keydown: (event) => viewKeys(view, event) });
	const width = () => Math.max(320, box.clientWidth);
	const moved = (plot) => {
		const inside = plot.cursor.left >= 0 && plot.cursor.top >= 0;

		if (inside)
			spec.hover(plot.posToVal(plot.cursor.left, "x"), plot.posToVal(plot.cursor.top, "y"), plot);
		else
			spec.leave();
	};
	const selected = (plot) => {
		const left = plot.select.left;

		if (plot.select.width > 3)
			view.show(plot.posToVal(left, "x"), plot.posToVal(left + plot.select.width, "x"));
		plot.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
	};

	host.append(box);
	const plot = new uPlot({
		width: width(), height: spec.height + LABEL_HEIGHT, legend: { show: false },
		padding: [8, LABEL_OVERHANG, 0, 0],
		scales: { x: { time: false, range: () => [view.low, view.high] },
			y: { range: () => spec.y } },
		axes: [axisOf({ label: "instructions", space: 70, size: 34, incrs: TICS,
				values: (u, splits) => axisLabels(splits) }),
			axisOf(spec.yAxis)],
		series: [{}].concat(spec.series),
		cursor: { y: !!spec.crossY, points: { show: false },
			drag: { x: true, y: false, setScale: false },
			bind: { dblclick: () => () => view.reset() } },
		hooks: { setCursor: [moved], setSelect: [selected],
			draw: spec.draw ? [spec.draw] : [] },
	}, spec.columns(view.low, view.high), box);

	box.addEventListener("wheel", (event) => viewWheel(view, plot, event), { passive: false });
	view.listeners.push(() => plot.setData(spec.columns(view.low, view.high), true));
	new ResizeObserver(() => plot.setSize({ width: width(), height: spec.height + LABEL_HEIGHT })).observe(box);
	themeListeners.push(() => plot.redraw(true, true));
	return plot;
}
