// SPDX-License-Identifier: GPL-2.0-or-later
// What all parts of the page need: the data, elements, and numbers as text. Names in the
// data are anybody's: they only ever become text nodes and attributes.

const data = JSON.parse(document.getElementById("data").textContent);

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

// 1 234 567
function count(n) {
	return String(Math.round(n)).replace(/\B(?=(\d{3})+$)/g, NARROW);
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
function makeTable(columns, rows, caption) {
	const kind = (column) => column.number ? "n" : column.name ? "name" : column.kind || null;
	const head = columns.map((column) =>
		el("th", { scope: "col", class: column.number ? "n" : null }, column.title));
	const body = rows.map((row) => el("tr", null, ...columns.map((column) =>
		el("td", { class: kind(column) }, column.cell(row)))));

	return el("table", { "aria-label": caption },
		el("thead", null, el("tr", null, ...head)), el("tbody", null, ...body));
}

// A table whose rows beyond the first `most` show when asked for.
function foldRows(table, most) {
	const rows = [...table.tBodies[0].rows].slice(most);

	if (rows.length < 3)
		return table;
	const show = (yes) => {
		for (const row of rows)
			row.hidden = !yes;
		button.setAttribute("aria-expanded", String(yes));
		button.textContent = yes ? "Show fewer" : "Show " + count(rows.length) + " more";
	};
	const button = el("button", { type: "button", class: "more", click: () => show(rows[0].hidden) });

	show(false);
	return el("div", null, table, button);
}

// A name cut by the page's width shows in full, with its file, when pointed at.
function nameCell(index) {
	return el("span", { title: nameOf(index) + (moduleOf(index) ? "\n" + moduleOf(index) : "") },
		nameOf(index));
}

function sentence(text) {
	return text.charAt(0).toUpperCase() + text.slice(1) + (/[.!?]$/.test(text) ? "" : ".");
}

const parts = [];

// A section; `fill` puts its content. What is absent or broken says so in its place.
function addPart(id, title, lede, key, fill) {
	parts.push({ id, title, lede, key, fill });
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
