// SPDX-License-Identifier: GPL-2.0-or-later
// Light or dark: as the system has it, until the button says otherwise.

const THEME_KEY = "waymark-theme";
const systemDark = matchMedia("(prefers-color-scheme: dark)");
const onPaper = matchMedia("print");

// Pages from a file may be denied storage; then the choice lasts as long as the page.
let chosenTheme = null;
try {
	chosenTheme = localStorage.getItem(THEME_KEY);
} catch (refused) {
	chosenTheme = null;
}

function themeNow() {
	if (onPaper.matches)
		return "light";
	return chosenTheme || (systemDark.matches ? "dark" : "light");
}

function applyTheme() {
	const theme = themeNow();
	const button = document.getElementById("theme");

	document.documentElement.dataset.theme = theme;
	button.textContent = theme === "dark" ? "Light" : "Dark";
	button.setAttribute("aria-label", "Switch to " + (theme === "dark" ? "light" : "dark") +
		" colours");
	for (const listener of themeListeners)
		listener();
}

function switchTheme() {
	chosenTheme = themeNow() === "dark" ? "light" : "dark";
	try {
		localStorage.setItem(THEME_KEY, chosenTheme);
	} catch (refused) {
		// It lasts as long as the page.
	}
	applyTheme();
}

document.getElementById("theme").addEventListener("click", switchTheme);
systemDark.addEventListener("change", applyTheme);
onPaper.addEventListener("change", applyTheme);
applyTheme();
