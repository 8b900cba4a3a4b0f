// SPDX-License-Identifier: GPL-2.0-or-later
// The flame graph, from the top down: a frame is a function, as wide as the instructions
// that it and all it called took. Frames are elements, made when they can be seen.

const FRAME_HEIGHT = 20;
const LEAST_PART = 0.0008; // of the width: about a pixel
const THIN = 0.02; // of the width: too thin for a name
const GROUP_COLOURS = 7;

// The tree of contexts; .all is what ran in and below a node.
function growTree(frames) {
	const nodes = frames.map(([parent, name, calls, self, folded]) =>
		({ parent, name, calls, self, folded, all: self + folded, children: [], depth: 0 }));

	nodes.forEach((node, i) => {
		if (i) {
			node.up = nodes[node.parent];
			node.up.children.push(node);
			node.depth = node.up.depth + 1;
		}
	});
	for (let i = nodes.length - 1; i > 0; i--)
		nodes[i].up.all += nodes[i].all;
	for (const node of nodes)
		node.children.sort((a, b) => b.all - a.all);
	return nodes;
}

function frameText(node) {
	return node.up ? nameOf(node.name) : "all";
}

// How strong the colour of a name is, so that neighbours of one file can be told apart.
function tint(name) {
	let hash = 0;

	for (let i = 0; i < name.length; i++)
		hash = (hash * 31 + name.charCodeAt(i)) % 9973;
	return 65 + hash % 36;
}

// The namespace or class a function is in, its first part: "std" of "std::sort<int*>(...)". Rust
// writes "<core::str::Chars as core::iter::Iterator>::next"; its first part is "core". Templates
// have the type that they return in front: "void std::sort<int*>(...)".
function namespaceOf(index) {
	const name = nameOf(index).replace(/^(?:(?:void|bool|char|short|int|long|unsigned|float|double|const)[*&]* )+/, "");
	const [, first] = /^<?&?(?:mut |dyn )?([A-Za-z_$][\w$]*|\(anonymous namespace\))::/.exec(name) || [];

	return first || "";
}

// What frames may be coloured by: which group a name is in, what a group and its lack are called.
const colourings = {
	file: { groupOf: moduleOf, nameOf: (path) => path ? baseName(path) : "no file", others: "other files" },
	namespace: { groupOf: namespaceOf, nameOf: (name) => name || "no namespace", others: "other namespaces" },
};

// Each group has a colour, those with the most instructions first; the rest share one.
function groupsOf(nodes, groupOf) {
	const sums = new Map();

	for (const node of nodes.slice(1))
		sums.set(groupOf(node.name), (sums.get(groupOf(node.name)) || 0) + node.self);
	return [...sums].sort((a, b) => b[1] - a[1]).map(([group]) => group);
}

class Flame {
	constructor(host, nodes) {
		this.nodes = nodes;
		this.colourBy("file");
		this.top = nodes[0];
		this.focus = nodes[0];
		this.hits = null;
		this.inner = el("div", { class: "inner", role: "group" });
		this.box = el("div", { class: "flame", "aria-label": "Flame graph: arrows move from frame to frame, " +
			"Enter zooms, Escape shows all", keydown: (event) => this.key(event) }, this.inner);
		this.readout = el("p", { class: "readout", role: "status" });
		host.append(this.box, this.readout);
		this.draw();
	}

	colourBy(word) {
		this.colouring = colourings[word];
		this.groups = groupsOf(this.nodes, this.colouring.groupOf);
	}

	colourOf(node) {
		const group = node.up ? this.groups.indexOf(this.colouring.groupOf(node.name)) : GROUP_COLOURS;

		const of = "var(--f" + (group < 0 || group > GROUP_COLOURS ? GROUP_COLOURS : group) + ")";

		return "color-mix(in srgb, " + of + " " + tint(frameText(node)) + "%, white)";
	}

	tell(node) {
		const all = this.nodes[0].all || 1;
		const parts = [frameText(node), percent(node.all / all) + " of all", count(node.all) + " instructions",
			count(node.self) + " its own"];

		if (node.calls)
			parts.push(plural(node.calls, "call"));
		if (node.folded)
			parts.push(count(node.folded) + " in narrower ones that are not shown");
		this.readout.replaceChildren(parts.join(" · "));
		if (node.up && pageOf(node.name))
			this.readout.append(" · ", nameCell(node.name, "its page"));
	}

	frame(node, left, width, above) {
		const hit = this.hits && this.hits.has(node);
		const button = el("button", { type: "button", tabindex: node === this.focus ? "0" : "-1",
			class: "frame" + (above ? " above" : "") + (width < THIN ? " thin" : "") + (hit ? " hit" : ""),
			"aria-label": frameText(node) + ", " + percent(node.all / (this.nodes[0].all || 1)),
			style: { left: left * 100 + "%", width: width * 100 + "%", top: node.depth * FRAME_HEIGHT + "px",
				background: this.colourOf(node) },
			click: () => this.zoom(node), mouseenter: () => this.tell(node),
			focus: () => { this.focus = node; this.tell(node); } },
		width < THIN ? "" : node.up ? shortOf(node.name) : "all");

		node.button = button;
		this.inner.append(button);
		this.deepest = Math.max(this.deepest, node.depth);
	}

	// Not by calling itself: contexts are nested deeper than a browser's own calls can be.
	below(node, left, width) {
		const waiting = [[node, left, width]];

		while (waiting.length) {
			const [next, at, wide] = waiting.pop();
			let from = at;

			this.frame(next, at, wide, false);
			for (const child of next.children) {
				const part = next.all ? wide * child.all / next.all : 0;

				if (part < LEAST_PART)
					break;
				waiting.push([child, from, part]);
				from += part;
			}
		}
	}

	draw() {
		for (const node of this.nodes)
			node.button = null;
		this.inner.replaceChildren();
		this.deepest = 0;
		for (let node = this.top.up; node; node = node.up)
			this.frame(node, 0, 1, true);
		this.below(this.top, 0, 1);
		this.inner.style.height = (this.deepest + 1) * FRAME_HEIGHT + "px";
		this.box.classList.toggle("searching", !!this.hits);
		if (!this.focus.button)
			this.focus = this.top;
		this.focus.button.tabIndex = 0;
	}

	zoom(node) {
		this.top = node;
		this.focus = node;
		this.draw();
		node.button.focus({ preventScroll: true });
		this.box.scrollTop = Math.max(0, (node.depth - 4) * FRAME_HEIGHT);
	}

	neighbour(node, by) {
		const row = node.up ? node.up.children.filter((child) => child.button) : [node];

		return row[row.indexOf(node) + by];
	}

	key(event) {
		const node = this.focus;
		const to = { ArrowUp: node.up, ArrowDown: node.children.find((child) => child.button),
			ArrowLeft: this.neighbour(node, -1), ArrowRight: this.neighbour(node, 1) }[event.key];

		if (event.key === "Escape")
			this.zoom(this.nodes[0]);
		else if (!to || !to.button)
			return;
		else
			this.move(to);
		event.preventDefault();
	}

	move(to) {
		this.focus.button.tabIndex = -1;
		to.button.tabIndex = 0;
		to.button.focus();
	}

	// Marks what has the text in its name; what part of all instructions is in such frames.
	search(text) {
		const wanted = text.toLowerCase();
		let sum = 0;

		this.hits = wanted ? new Set(this.nodes.filter((node) => node.up &&
			frameText(node).toLowerCase().includes(wanted))) : null;
		for (const node of this.hits || []) {
			let up = node.up;

			while (up && !this.hits.has(up))
				up = up.up;
			sum += up ? 0 : node.all;
		}
		this.draw();
		return this.hits && { frames: this.hits.size, share: sum / (this.nodes[0].all || 1) };
	}
}

function groupKeys(flame) {
	const names = flame.groups.slice(0, GROUP_COLOURS).map(flame.colouring.nameOf);

	if (flame.groups.length > GROUP_COLOURS)
		names.push(flame.colouring.others);
	return el("ul", { class: "keys", "aria-label": "Colours" }, ...names.map((name, i) =>
		el("li", null, el("span", { class: "swatch", style: { background: "var(--f" + i + ")" } }), name)));
}

// The choice of what colours stand for, when names have namespaces; and which colour is what.
function colourTools(flame) {
	const host = el("div");
	const choose = (word) => {
		flame.colourBy(word);
		flame.draw();
		host.replaceChildren(groupKeys(flame));
	};
	const select = el("select", { "aria-label": "Colours by", change: (event) => choose(event.target.value) },
		el("option", { value: "file" }, "Colours by file"),
		el("option", { value: "namespace" }, "Colours by namespace"));

	const spaces = flame.nodes.slice(1).some((node) => namespaceOf(node.name));

	// One file alone would make it all of one colour.
	if (spaces && flame.groups.length < 2) {
		select.value = "namespace";
		choose("namespace");
	}
	host.replaceChildren(groupKeys(flame));
	return { keys: host, select: spaces ? select : null };
}

function foldedNote(flame) {
	const texts = [];

	if (flame.hidden)
		texts.push(plural(flame.hidden, "calling context") + " of fewer than " + plural(flame.least, "instruction") +
			(flame.hidden === 1 ? " is" : " are") + " folded into what called them.");
	if (flame.deepest !== null)
		texts.push("Calls nested deeper than " + count(flame.deepest) + " are counted where they are.");
	return texts.length ? el("p", { class: "note" }, texts.join(" ")) : null;
}

addPart("flame", "Flame graph", "Who called what, from the top down: a function is as wide as the instructions " +
	"that it and all it called took. Press one to zoom in on it, and the top one to see all.", "flame",
(body, raw) => {
	const nodes = growTree(raw.frames);
	const found = el("output", { "aria-live": "polite" });
	const host = el("div");

	if (nodes.length < 2) {
		body.append(el("p", { class: "absent" }, "There were no calls in what was asked for."));
		return;
	}
	const flame = new Flame(host, nodes);
	const colours = colourTools(flame);

	body.append(el("div", { class: "tools" },
		el("input", { type: "search", placeholder: "Search functions", "aria-label": "Search functions",
			input: (event) => {
				const result = flame.search(event.target.value.trim());

				found.textContent = result ? plural(result.frames, "frame") + ", " + percent(result.share) +
					" of all instructions" : "";
			} }),
		el("button", { type: "button", click: () => flame.zoom(nodes[0]) }, "All"),
		colours.select || "", found), host, colours.keys);
	body.append(foldedNote(raw) || "");
}, "Flame");
