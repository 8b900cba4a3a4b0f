// SPDX-License-Identifier: GPL-2.0-or-later
// What all parts of the page need: the data, elements, and numbers as text. Names in the
// data are anybody's: they only ever become text nodes and attributes.

const data = JSON.parse(document.getElementById("data").textContent);

data.pages = new Map(data.code.concat(data.method_code || []).map((code) => [code.name, code]));
for (const [name] of data.calls.functions || [])
	if (!data.pages.has(name))
		data.pages.set(name, null);
data.byName = new Map(data.names.map(([name], i) => [name, i + 1]).reverse());

const NARROW = "\u202f"; // a narrow space that does not break

// An element; attributes that are functions are listeners, `style` is an object.
function el(tag, attributes, ...children) {
	const element = document.createElement(tag);

	for (const [name, value] of Object.entries(attributes || {})) {
		if (typeof value === "function")
			element.addEventListener(name, value);
		else if (name === "style")
			Object.assign(element.style, value);
		else if (value !== null && value !== undefined && value !== false)
			element.setAttribute(name, value === true ? "" : value);
	}
	element.append(...children.filter((child) => child !== null && child !== undefined));
	return element;
}

// 1,234,567
function count(n) {
	return String(Math.round(n)).replace(/\B(?=(\d{3})+$)/g, ",");
}

// Three digits that count, as 1.23 M; for axes and where space is short.
function brief(n) {
	const units = ["", "k", "M", "G", "T", "P"];
	let unit = 0;

	while (n >= 999.5 && unit < units.length - 1) {
		n /= 1000;
		unit++;
	}
	const digits = unit === 0 || n >= 99.95 ? 0 : n >= 9.995 ? 1 : 2;
	const text = unit ? n.toFixed(digits).replace(/\.?0+$/, digits ? "" : "$&") : String(n);
	return unit ? text + NARROW + units[unit] : text;
}

// 1,234.50
function real(n) {
	return n.toFixed(2).replace(/\B(?=(\d{3})+\.)/g, ",");
}

function percent(share) {
	if (!isFinite(share))
		return "–";
	if (share === 0)
		return "0" + NARROW + "%";
	if (share > 0 && share < 0.0001)
		return "<" + NARROW + "0.01" + NARROW + "%";
	return (share * 100).toFixed(share < 0.1 ? 2 : 1) + NARROW + "%";
}

function bytesText(n) {
	return brief(n) + (n >= 999.5 ? "B" : NARROW + "bytes");
}

function secondsText(s) {
	if (s < 0.9995)
		return brief(Math.round(s * 1000)) + NARROW + "ms";
	if (s < 60)
		return s.toPrecision(3) + NARROW + "s";
	return Math.floor(s / 60) + NARROW + "min " + Math.round(s % 60) + NARROW + "s";
}

function plural(n, one, many) {
	return count(n) + " " + (n === 1 ? one : many || one + "s");
}

function baseName(path) {
	return path.replace(/^.*\//, "") || path;
}

function nameOf(index) {
	return index ? data.names[index - 1][0] : "(none)";
}

// The same to be read: brackets of templates lose what is nested deepest in them.
function shortOf(index) {
	return index && data.names[index - 1][2] || nameOf(index);
}

// The path of the file that a name is in; "" for none.
function moduleOf(index) {
	const module = index ? data.names[index - 1][1] : 0;

	return module ? pathOf(module) : "";
}

function pathOf(module) {
	return data.modules[module - 1];
}

function threadName(index) {
	const thread = data.threads[index];
	const process = thread && data.processes[thread.process];
	const name = thread && (thread.name || (process && baseName(process.path)));

	return "thread " + index + (name ? " (" + name + ")" : "");
}

function colour(name) {
	return getComputedStyle(document.documentElement).getPropertyValue("--" + name).trim();
}

// [red, green, blue] of a colour variable, which is #rrggbb.
function channels(name) {
	const hex = colour(name);

	return [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16));
}

const themeListeners = [];

// Calls `draw` now and whenever the colours have changed.
function onTheme(draw) {
	themeListeners.push(draw);
	draw();
}

function meter(share) {
	const fill = el("i", { style: { width: Math.min(100, share * 100) + "%" }, hidden: !share });

	return el("span", { class: "meter", "aria-hidden": "true" }, fill);
}

// A table; columns are { title, number, cell(row) }, a cell text or an element.
// `head(column)`, when given, says how its head sorts: { sorted, sort() }.
function makeTable(columns, rows, caption, head) {
	const kind = (column) => [column.number ? "n" : column.name ? "name" : column.kind || "",
		column.spare ? "spare" : ""].join(" ").trim() || null;
	const heads = columns.map((column) => {
		const how = head ? head(column) : null;

		return el("th", { scope: "col", class: kind(column), "aria-sort": how ? how.sorted : null },
			how && column.title ? el("button", { type: "button", class: "link", click: how.sort }, column.title)
				: column.title);
	});
	const body = rows.map((row) => el("tr", null, ...columns.map((column) =>
		el("td", { class: kind(column) }, column.cell(row)))));

	return el("table", { "aria-label": caption },
		el("thead", null, el("tr", null, ...heads)), el("tbody", null, ...body));
}

const PAGE_ROWS = 20;

// A value of a column to sort by: what `by(row)` gives, or else the text of the cell.
function sortValue(column, row) {
	if (column.by)
		return column.by(row);
	const cell = column.cell(row);
	const text = typeof cell === "string" ? cell : cell.textContent;

	return column.number ? parseFloat(text.replace(/[^0-9.eE-]/g, "")) || 0 : text.toLowerCase();
}

// A table of any number of rows: heads sort, a field filters by the columns of words, and
// pages have PAGE_ROWS rows each.
function pagedTable(columns, rows, caption) {
	const state = { page: 0, column: null, down: true, text: "" };
	const box = el("div", { class: "scroll wide" });
	const tell = el("output", { "aria-live": "polite" });
	const words = columns.filter((column) => !column.number && column.kind !== "meters");
	const turn = (by) => el("button", { type: "button", "aria-label": by < 0 ? "Previous page" : "Next page",
		click: () => { state.page += by; show(); } }, by < 0 ? "←" : "→");
	const back = turn(-1), on = turn(1);
	// The title has the whole of a name that is shown in short.
	const matches = (row) => words.some((column) => {
		const cell = column.cell(row);
		const text = typeof cell === "string" ? cell : cell.textContent + "\n" + cell.title;

		return text.toLowerCase().includes(state.text);
	});
	const sortBy = (column) => {
		state.down = state.column === column ? !state.down : Boolean(column.number);
		state.column = column;
		state.page = 0;
		show();
	};
	const chosen = () => {
		const list = state.text ? rows.filter(matches) : [...rows];

		if (state.column) {
			const values = new Map(list.map((row) => [row, sortValue(state.column, row)]));
			const sign = state.down ? -1 : 1;

			list.sort((a, b) => {
				const x = values.get(a), y = values.get(b);
				return x < y ? -sign : x > y ? sign : 0;
			});
		}
		return list;
	};
	const show = () => {
		const list = chosen();
		const last = Math.max(0, Math.ceil(list.length / PAGE_ROWS) - 1);

		state.page = Math.min(Math.max(0, state.page), last);
		const from = state.page * PAGE_ROWS;
		const part = list.slice(from, from + PAGE_ROWS);

		box.replaceChildren(makeTable(columns, part, caption, (column) => column.kind === "meters" ? null :
			{ sorted: state.column === column ? (state.down ? "descending" : "ascending") : "none",
				sort: () => sortBy(column) }));
		tell.textContent = list.length > PAGE_ROWS ? count(from + 1) + "–" + count(from + part.length) + " of " +
			count(list.length) : state.text ? plural(list.length, "row") : "";
		back.disabled = !state.page;
		on.disabled = state.page === last;
		back.hidden = on.hidden = !last;
	};
	const find = el("input", { type: "search", placeholder: "Filter", "aria-label": "Filter: " + caption,
		input: (event) => { state.text = event.target.value.trim().toLowerCase(); state.page = 0; show(); } });

	show();
	return el("div", { class: "paged" }, rows.length > 8
		? el("div", { class: "tools" }, words.length ? find : null, tell, el("span", { class: "gap" }), back, on)
		: null, box);
}

// The page of a function: where its code, its callers and its time are. Null: it has none.
function pageOf(index) {
	return data.pages.has(index) ? "#function=" + index : null;
}

// A name, which leads to its function's page; pointed at, it shows with its file.
function nameCell(index, text) {
	const title = nameOf(index) + (moduleOf(index) ? "\n" + moduleOf(index) : "");
	const parts = nameParts(text || shortOf(index));

	return pageOf(index) ? el("a", { class: "name", href: pageOf(index), title }, ...parts)
		: el("span", { class: "name", title }, ...parts);
}

// A long name is divided behind the parts that it has, where there is no room: "java.util.", "List$Itr.", "next()".
function nameParts(name) {
	return name.split(/(?<=::|[./;$,(])(?=[^./;$,:\d)])/).flatMap((part, i) => i ? [el("wbr"), part] : [part]);
}

// The same by a name as tables have it; the first function of that name counts.
function nameLink(text, name) {
	const index = data.byName.get(name === undefined ? text : name);
	// A place is a name with an offset, which stays: "+0x2a".
	const [offset] = name !== undefined && /\+0x[0-9a-f]+$/.exec(text) || [""];

	return index ? nameCell(index, shortOf(index) + offset) : el("span", { class: "name", title: text }, ...nameParts(text));
}

function sentence(text) {
	return text.charAt(0).toUpperCase() + text.slice(1) + (/[.!?]$/.test(text) ? "" : ".");
}

const parts = [];

// A section; `fill` puts its content. What is absent or broken says so in its place.
function addPart(id, title, lede, key, fill, short) {
	parts.push({ id, title, lede, key, fill, short });
}

function fillPart(part) {
	const body = el("div", { class: "body" });
	const section = el("section", { id: part.id, "aria-labelledby": part.id + "-title" },
		el("h2", { id: part.id + "-title" }, part.title),
		part.lede ? el("p", { class: "lede" }, part.lede) : null, body);
	const value = data[part.key];

	document.getElementById("main").append(section);
	if (value.absent)
		body.append(el("p", { class: "absent" }, sentence(value.absent)));
	else
		part.fill(body, value);
}
