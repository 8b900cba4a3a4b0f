// SPDX-License-Identifier: GPL-2.0-or-later
// Which functions ran when: bins of instructions, added up to what a screen can show.

const MOST_COLUMNS = 1100;
const timelineViews = {}; // by thread: other charts of it show the same part

// Levels of a series: each sums up pairs of the one before.
function foldLevels(bins) {
	const levels = [bins];

	while (levels[levels.length - 1].length > MOST_COLUMNS / 2) {
		const fine = levels[levels.length - 1];
		const coarse = [];

		for (let i = 0; i < fine.length; i += 2)
			coarse.push(fine[i] + (fine[i + 1] || 0));
		levels.push(coarse);
	}
	return levels;
}

// The finest level of which the part from low to high has no more than a screen's columns.
function levelFor(lane, low, high) {
	let level = 0;

	while (level < lane.levels[0].length - 1 &&
		(high - low) / (lane.width * 2 ** level) > MOST_COLUMNS)
		level++;
	return level;
}

// uPlot's data: left edges, then stacked shares, the whole stack first.
function stackColumns(lane, low, high, shown) {
	const level = levelFor(lane, low, high);
	const width = lane.width * 2 ** level;
	const series = lane.levels.map((levels) => levels[level]);
	const first = Math.max(0, Math.floor((low - lane.from) / width));
	const last = Math.min(series[0].length, Math.ceil((high - lane.from) / width));
	const columns = [[]].concat(series.map(() => []));

	for (let i = first; i < last; i++) {
		const sum = series.reduce((total, bins) => total + bins[i], 0) || 1;
		let stacked = 0;

		columns[0].push(lane.from + i * width);
		series.forEach((bins, s) => {
			stacked += shown(s) ? bins[i] / sum : 0;
			columns[series.length - s].push(stacked * 100);
		});
	}
	columns[0].push(Math.min(lane.from + last * width, lane.to));
	for (let s = 1; s < columns.length; s++)
		columns[s].push(columns[s][columns[s].length - 1]);
	return columns;
}

// Instructions of each series in [low, high), by the bins that lie in it for the most part.
function sumsOf(lane, low, high) {
	const first = Math.max(0, Math.round((low - lane.from) / lane.width));
	const bins = lane.levels[0][0].length;
	const last = Math.min(bins, Math.max(first + 1, Math.round((high - lane.from) / lane.width)));

	return lane.levels.map((levels) => {
		let sum = 0;

		for (let i = first; i < last; i++)
			sum += levels[0][i];
		return sum;
	});
}

function makeLane(raw) {
	const lane = { thread: raw.thread, from: raw.from, width: raw.width,
		levels: raw.bins.map(foldLevels) };
	const all = raw.bins.reduce((sum, bins) => sum + bins.reduce((a, b) => a + b, 0), 0);

	lane.to = lane.from + Math.max(all, lane.width * (raw.bins[0].length - 1) + 1);
	return lane;
}

function seriesName(timeline, s) {
	return s < timeline.functions.length ? shortOf(timeline.functions[s]) : "other functions";
}

function seriesColour(timeline, s) {
	return colour("s" + (s < timeline.functions.length ? s : 8));
}

// The names beside the chart: what each took of what is seen, or of what is pointed at. A
// press shows one function alone.
function makeLegend(timeline, lane, state, redraw) {
	const rows = lane.levels.map((_, s) => {
		const swatch = el("span", { class: "swatch" });
		const button = el("button", { type: "button", class: "link name", "aria-pressed": "false",
			title: seriesName(timeline, s), click: () => {
				state.alone = state.alone === s ? -1 : s;
				redraw();
			} }, seriesName(timeline, s));
		const share = el("td", { class: "n" });

		onTheme(() => { swatch.style.background = seriesColour(timeline, s); });
		return { row: el("tr", null, el("td", null, swatch, button), share), share, button };
	});
	const title = el("th", { class: "n", scope: "col" }, "share");
	const show = (low, high, what) => {
		const sums = sumsOf(lane, low, high);
		const total = sums.reduce((a, b) => a + b, 0);

		title.textContent = what;
		rows.forEach(({ row, share, button }, s) => {
			share.textContent = percent(total ? sums[s] / total : 0);
			button.setAttribute("aria-pressed", String(state.alone === s));
			row.classList.toggle("off", state.alone >= 0 && state.alone !== s);
		});
	};

	return { show, table: el("table", { class: "legend", "aria-label": "Functions in the timeline" },
		el("thead", null, el("tr", null, el("th", { scope: "col" }, "function"), title)),
		el("tbody", null, ...rows.map(({ row }) => row))) };
}

function drawLane(host, timeline, lane) {
	const view = makeView(lane.from, lane.to, lane.width * 8);
	const state = { alone: -1 };
	const chart = el("div");
	const shown = (s) => state.alone < 0 || state.alone === s;
	const stepped = uPlot.paths.stepped({ align: 1 });
	const n = lane.levels.length;
	const legend = makeLegend(timeline, lane, state, () => view.show(view.low, view.high));
	const tellView = () => legend.show(view.low, view.high, "share");
	const series = lane.levels.map((_, at) => ({
		paths: stepped, points: { show: false }, width: 0,
		stroke: () => seriesColour(timeline, n - 1 - at),
		fill: () => seriesColour(timeline, n - 1 - at),
	}));

	timelineViews[lane.thread] = view;
	view.listeners.push(tellView);
	host.append(viewTools(view), el("div", { class: "chart" }, chart, legend.table));
	makePlot(chart, view, {
		label: "Shares of functions over the instructions of " + threadName(lane.thread) +
			"; plus and minus zoom, arrows move, Home shows all",
		height: 300, y: [0, 100], series,
		yAxis: { label: "share of instructions", values: (u, splits) => splits.map((value) => value + NARROW + "%"), size: 56 },
		columns: (low, high) => stackColumns(lane, low, high, shown),
		hover: (insn) => {
			const level = levelFor(lane, view.low, view.high);
			const width = lane.width * 2 ** level;
			const low = lane.from + Math.floor((insn - lane.from) / width) * width;

			legend.show(low, low + width, "at " + brief(Math.max(0, insn)));
		},
		leave: tellView,
	});
	tellView();
}

addPart("timeline", "Timeline", "What part of the instructions each function had, from the first " +
	"instruction to the last. Drag to zoom in, double-click for all of it; Ctrl and the wheel zoom, " +
	"Shift and the wheel move." + (data.functions.inlined ? " Inlined functions count in those around them." : ""), "timeline", (body, timeline) => {
	const host = el("div");
	const lanes = timeline.threads.map(makeLane);
	const show = (lane) => {
		const fresh = !lane.host;

		lane.host = lane.host || el("div");
		host.replaceChildren(lane.host);
		if (fresh)
			drawLane(lane.host, timeline, lane);
	};

	if (!lanes.length) {
		body.append(el("p", { class: "absent" }, "Nothing ran in what was asked for."));
		return;
	}
	const busiest = lanes.reduce((a, b) => b.to - b.from > a.to - a.from ? b : a);
	if (lanes.length > 1) {
		const choice = el("select", { "aria-label": "Thread", change: () => show(lanes[choice.value]) },
			...lanes.map((lane, i) => el("option", { value: i, selected: lane === busiest },
				threadName(lane.thread) + ", " + brief(lane.to - lane.from) + " instructions")));
		body.append(el("div", { class: "tools" }, choice));
	}
	body.append(host);
	show(busiest);
	body.append(el("p", { class: "note" }, "The finest detail is " + count(busiest.width) +
		(busiest.width === 1 ? " instruction." : " instructions.") +
		(timeline.threads_in_all > lanes.length ? " Threads: the busiest " + lanes.length + " of " +
			timeline.threads_in_all + "." : "")));
});
