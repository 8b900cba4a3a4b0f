// SPDX-License-Identifier: GPL-2.0-or-later
// Puts the page together, in this order.

const order = ["methods", "sources", "opcodes", "functions", "timeline", "machine", "boot", "lines", "loops", "memory", "blocks", "mix", "phases", "flame", "calls",
	"syscalls", "marks", "cover", "provenance"];

function navigation(shown) {
	const links = shown.map((part) => el("a", { href: "#" + part.id }, part.short || part.title));
	const nav = document.getElementById("nav");

	nav.append(...links);
	const seen = new IntersectionObserver((entries) => {
		for (const entry of entries) {
			const link = links[shown.findIndex((part) => part.id === entry.target.id)];

			if (entry.isIntersecting) {
				for (const other of links)
					other.removeAttribute("aria-current");
				link.setAttribute("aria-current", "true");
			}
		}
	}, { rootMargin: "-15% 0px -75% 0px" });
	for (const part of shown)
		seen.observe(document.getElementById(part.id));
}

fillSummary();
const shown = order.map((id) => parts.find((part) => part.id === id))
	.filter((part) => data[part.key] !== undefined);
for (const part of shown)
	fillPart(part);
navigation(shown);
followFunctions();
document.documentElement.dataset.ready = "true";
