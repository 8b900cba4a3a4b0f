# SPDX-License-Identifier: GPL-2.0-or-later
"""Looks at reports in a browser; prints a line for each thing that is as it should be, or not.

usage: look.py RUN.html NOTHING.html HOSTILE.html DEEP.html MEMORY.html SPACES.html BOOT.html MISSED.html ONE.html
"""

import re
import sys
import traceback

from browser import Browser

# How many colours a canvas shows, in one of seven of its points.
COLOURS = """
    const { width, height } = document.querySelector(%r);
    const copy = new OffscreenCanvas(width, height).getContext("2d", { willReadFrequently: true });
    copy.drawImage(document.querySelector(%r), 0, 0);
    const { data } = copy.getImageData(0, 0, width, height);
    const seen = new Set();
    for (let i = 0; i < data.length; i += 4 * 7)
        seen.add(data.slice(i, i + 4).join());
    return seen.size"""


def colours(page, selector):
    return page.run(COLOURS % (selector, selector))



CHARTS = {"timeline": "#timeline .plot canvas", "scatter": "#phases .plot canvas",
          "matrix": "#phases canvas.picture", "band of phases": "#phases canvas.strip"}

# Rows that tables have, at least.
ROWS = {"#functions tbody tr": 5, "#blocks tbody tr": 10, "#mix tbody tr": 20,
        "#calls tbody tr": 5, "#cover tbody tr": 5, "#provenance tbody tr": 2,
        "#blocks .listing .what": 1, "#flame .frame": 5, "#timeline .legend tbody tr": 3,
        "#summary .tiles li": 4, "#nav a": 9, "#mix .meter i": 20}


def number_of(page, selector):
    return page.run(f"document.querySelectorAll({selector!r}).length")


def text_of(page, selector):
    return page.run(f"document.querySelector({selector!r}).textContent")


def seen_part(page):
    """[low, high] of the instructions that the timeline shows."""
    words = text_of(page, "#timeline .tools output").replace("\u202f", "").replace(",", "").split()
    return [int(words[1]), int(words[3])]


def charts_are_drawn(page):
    for what, selector in CHARTS.items():
        assert colours(page, selector) >= 3, what
    for selector, least in ROWS.items():
        assert number_of(page, selector) >= least, selector


def nothing_is_wider(page):
    for width in (1280, 700):
        page.size(width, 800)
        page.settle()
        assert page.run("document.documentElement.scrollWidth") <= width, width
    page.size(1280, 800)
    page.settle()


def press(page, label):
    page.run(f"""document.querySelector('#timeline [aria-label="{label}"]').click()""")
    page.settle()


def buttons_zoom(page):
    low, high = seen_part(page)
    picture = page.run("document.querySelector('#timeline canvas').toDataURL()")
    press(page, "Zoom in")
    near = seen_part(page)
    assert abs((near[1] - near[0]) * 2 - (high - low)) <= 2, near
    assert picture != page.run("document.querySelector('#timeline canvas').toDataURL()")
    press(page, "Move right")
    assert seen_part(page)[0] > near[0]
    press(page, "Show all of it")
    assert seen_part(page) == [low, high]


def keys_zoom(page):
    low, high = seen_part(page)
    page.run("document.querySelector('#timeline .plot').focus()")
    for key in "++":
        page.key(key, key)
    near = seen_part(page)
    assert abs((near[1] - near[0]) * 4 - (high - low)) <= 4, near
    page.key("ArrowLeft")
    assert seen_part(page)[0] < near[0]
    page.key("Home")
    assert seen_part(page) == [low, high]


def mouse_zooms(page):
    low, high = seen_part(page)
    x, y, width, height = page.box("#timeline .u-over")
    page.drag(x + width / 4, y + height / 2, x + width / 2, y + height / 2)
    part = seen_part(page)
    assert abs(part[0] - low - (high - low) / 4) < (high - low) / 50, part
    assert abs(part[1] - low - (high - low) / 2) < (high - low) / 50, part
    page.mouse("mouseWheel", x + width / 2, y + height / 2, deltaX=0, deltaY=-120, modifiers=2)
    page.until("document.querySelector('#timeline .tools output').textContent")
    page.settle()
    assert seen_part(page)[1] - seen_part(page)[0] < part[1] - part[0]
    page.mouse("mouseWheel", x + width / 2, y + height / 2, deltaX=0, deltaY=120, modifiers=8)
    page.settle()
    for count in (1, 2):
        for kind in ("mousePressed", "mouseReleased"):
            page.mouse(kind, x + width / 2, y + height / 2, button="left", clickCount=count)
    page.settle()
    assert seen_part(page) == [low, high], seen_part(page)


# Notes what is written under the charts: [text, where it ends, how wide its canvas is]. The
# title of the axis and what stands upright have no digits, or another place.
WRITTEN = """
    const own = CanvasRenderingContext2D.prototype.fillText;
    const written = [];
    CanvasRenderingContext2D.prototype.fillText = function (text, x, y, ...rest) {
        if (this.textAlign === "center" && /^[0-9]/.test(text))
            written.push([text, x + this.measureText(text).width / 2, this.canvas.width]);
        return own.call(this, text, x, y, ...rest);
    };
    document.querySelector('#timeline [aria-label="%s"]').click();
    await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
    CanvasRenderingContext2D.prototype.fillText = own;
    return written"""

UNITS = {"k": 1e3, "M": 1e6, "G": 1e9}


def tics_say_where_they_are(page):
    """Tics are as far apart as their labels say, each label whole, at several zooms."""
    for label in ["Zoom in"] * 8 + ["Zoom out", "Move right", "Show all of it"]:
        written = page.run(WRITTEN % label)
        assert written, label
        axes = [[]]
        for text, end, width in written:
            assert end <= width, (text, end, width)
            number = float(text.rstrip("kMG\u202f")) * UNITS.get(text[-1], 1)
            if axes[-1] and number <= axes[-1][-1]:
                axes.append([])
            axes[-1].append(number)
        for axis in axes:
            steps = [after - before for before, after in zip(axis, axis[1:])]
            assert not steps or max(steps) - min(steps) < 1e-6 * axis[-1], (label, axis)


def pointing_tells(page):
    x, y, width, height = page.box("#timeline .u-over")
    page.mouse("mouseMoved", x + width / 2, y + height / 2)
    page.settle()
    assert text_of(page, "#timeline .legend thead .n").startswith("at ")
    x, y, width, height = page.box("#phases .u-over")
    page.mouse("mouseMoved", x + width / 2, y + height / 2)
    page.settle()
    assert text_of(page, "#phases .scatter .readout").startswith("block ")


def a_function_alone(page):
    before = colours(page, CHARTS["timeline"])
    page.run("document.querySelector('#timeline .legend button').click()")
    page.settle()
    assert colours(page, CHARTS["timeline"]) < before
    assert number_of(page, "#timeline tr.off") > 0
    page.run("document.querySelector('#timeline .legend button').click()")
    page.settle()
    assert colours(page, CHARTS["timeline"]) == before


def blocks_open(page):
    shut = "#blocks button[aria-expanded='false']"
    listings = number_of(page, "#blocks .listing")
    page.run(f"""document.querySelector("{shut}").click()""")
    assert number_of(page, "#blocks .listing") == listings + 1


def flame_zooms(page):
    wide = "[...document.querySelectorAll('.frame:not(.above)')].map((f) => f.style.width)"
    page.run("[...document.querySelectorAll('.frame')].find((f) => "
             "parseFloat(f.style.width) < 60 && parseFloat(f.style.width) > 3).click()")
    assert page.run(wide)[0] == "100%"
    assert number_of(page, ".frame.above") > 0
    page.key("Escape")
    assert number_of(page, ".frame.above") == 0
    page.key("ArrowDown")
    assert page.run("document.activeElement.style.top") == "20px"
    page.key("Enter", "\r")
    assert number_of(page, ".frame.above") == 1
    page.key("Escape")


def colours_are_chosen(page):
    """By file, or where names have them by namespace; each colour has its key."""
    def colours():
        return page.run("[...document.querySelectorAll('.frame')].map((f) => f.style.background)")

    def keys():
        return page.run("[...document.querySelectorAll('#flame .keys li')].map((k) => k.textContent)")

    def choose(word):
        page.run("const by = document.querySelector('#flame select'); by.value = '" + word + "';"
                 "by.dispatchEvent(new Event('change')); return 1")

    # All of it is one file.
    assert page.run("document.querySelector('#flame select').value") == "namespace"
    assert "shape" in keys() and "no namespace" in keys(), keys()
    choose("file")
    by_file, files = colours(), keys()
    assert files and all(files), files
    choose("namespace")
    assert "shape" in keys() and "no namespace" in keys() and keys() != files, keys()
    assert colours() != by_file
    choose("file")
    assert keys() == files and colours() == by_file


def search_marks(page, text="main"):
    page.run("document.querySelector('#flame input').focus()")
    page.call("Input.insertText", text=text)
    page.settle()
    hits = page.run("[...document.querySelectorAll('.frame.hit')].map((f) => "
                    "f.getAttribute('aria-label'))")
    assert hits and all(text in hit for hit in hits), hits
    assert "% of all" in text_of(page, "#flame .tools output").replace("\u202f", " ")
    page.run("const input = document.querySelector('#flame input'); input.value = '';"
             "input.dispatchEvent(new Event('input')); return 1")
    assert number_of(page, ".frame.hit") == 0


def calls_are_followed(page):
    name = text_of(page, "#calls .pane h3")
    page.run("document.querySelector('#calls .pane table button').click()")
    assert text_of(page, "#calls .pane h3") != name
    page.run("document.querySelector('#calls thead th:last-child button').click()")
    assert number_of(page, "#calls th[aria-sort='descending']:last-child") == 1


def coverage_is_searched(page):
    page.run("document.querySelector('#cover select').value = 'missed';"
             "document.querySelector('#cover select').dispatchEvent(new Event('change'));")
    assert "never" in text_of(page, "#cover tbody:last-of-type") or \
        "never" in page.run("[...document.querySelectorAll('#cover table')].pop().textContent")


def cells_of(page, part, column):
    """The texts of a column of the first table of a part, from 1."""
    return page.run(f"""[...document.querySelectorAll("#{part} table tbody tr > :nth-child({column})")]
        .map((cell) => cell.textContent)""")


def tables_sort_filter_and_page(page):
    first = cells_of(page, "functions", 1)
    page.run("""document.querySelector("#functions [aria-label='Next page']").click()""")
    second = cells_of(page, "functions", 1)
    assert len(first) == 20 and second and not set(first) & set(second)
    page.run("document.querySelector('#functions thead th button').click()")
    assert number_of(page, "#functions th[aria-sort='ascending']") == 1
    names = cells_of(page, "functions", 1)
    assert names == sorted(names, key=str.lower) and names != first
    page.run("document.querySelector('#functions thead th button').click()")
    last = cells_of(page, "functions", 1)
    assert last == sorted(last, key=str.lower, reverse=True)
    # A filter looks into all columns, of which one is the program's path: no word of a path.
    page.run("""const input = document.querySelector("#functions input"); input.value = "msort_";
        input.dispatchEvent(new Event("input")); return 1""")
    found = cells_of(page, "functions", 1)
    assert found and all("msort_" in name for name in found), found
    page.run("""const input = document.querySelector("#functions input"); input.value = "";
        input.dispatchEvent(new Event("input")); return 1""")
    page.run("document.querySelectorAll('#functions thead th button')[4].click()")
    assert cells_of(page, "functions", 1) == first


def functions_have_pages(page):
    """From a table to a function, on to a function that it calls, and back."""
    page.run("document.querySelector('#functions td a').click()")
    page.until("document.querySelector('#function:not([hidden]) h2')")
    name = text_of(page, "#function h2")
    assert page.run("getComputedStyle(document.getElementById('timeline')).display") == "none"
    assert number_of(page, "#function .code tbody tr") > 1
    assert colours(page, "#function canvas.strip") >= 2
    page.run("document.querySelector('#function .arcs button').click()")
    page.until("document.querySelector('#function h2').textContent !== %r" % name)
    page.run("history.back()")
    page.until("document.querySelector('#function h2').textContent === %r" % name)
    page.run("document.querySelector('#function a').click()")
    page.until("document.getElementById('function').hidden")
    assert page.run("getComputedStyle(document.getElementById('timeline')).display") != "none"
    for part in ("loops", "functions"):
        assert number_of(page, f"#{part} td a[href^='#function=']") >= 5, part


def source_stands_beside_code(page):
    page.run("[...document.querySelectorAll('#lines td a')].find((a) => "
             "a.textContent.includes('hostile=1')).click()")
    page.until("document.querySelector('#function:not([hidden]) .code')")
    assert number_of(page, "#function .code") == 2
    row = "[...document.querySelectorAll('#function .code')][0].querySelectorAll('tbody tr')"
    text = page.run(f"[...{row}].map((tr) => tr.textContent).find((text) => text.includes('sum +='))")
    assert "100,000" in text, text
    page.run(f"[...{row}].find((tr) => tr.textContent.includes('sum +=')).click()")
    assert page.run("[...document.querySelectorAll('#function .code')][1].querySelectorAll('.picked').length") > 0
    page.run("document.querySelector('#function a').click()")
    page.until("document.getElementById('function').hidden")


def pages_show_all_columns(page):
    for width in (1280, 1100, 1000, 800, 400):
        page.size(width, 900)
        page.settle()
        assert page.run("document.documentElement.scrollWidth") <= width, width
        cut = page.run("""[...document.querySelectorAll(".paged .scroll")].filter((box) =>
            box.scrollWidth > box.clientWidth + 1).map((box) => box.firstChild.getAttribute("aria-label"))""")
        assert not cut, (width, cut)
    page.size(1280, 800)
    page.settle()


def theme(page):
    return page.run("[document.documentElement.dataset.theme, "
                    "getComputedStyle(document.body).backgroundColor]")


def the_switch_darkens(page):
    was = theme(page)
    chart = page.run("document.querySelector('#timeline canvas').toDataURL()")
    page.run("document.getElementById('theme').click()")
    page.settle()
    assert theme(page)[0] != was[0] and theme(page)[1] != was[1]
    assert chart != page.run("document.querySelector('#timeline canvas').toDataURL()")
    page.run("document.getElementById('theme').click()")
    page.settle()
    assert theme(page) == was


def all_has_a_name(page):
    bare = page.run("""[...document.querySelectorAll("button, input, select, [tabindex='0']")]
        .filter((it) => !(it.getAttribute("aria-label") || it.textContent.trim()))
        .map((it) => it.outerHTML.slice(0, 100))""")
    assert not bare, bare
    assert page.run("document.documentElement.lang") == "en"


def nothing_to_complain(page):
    assert not page.complaints(), page.complaints()


def dark_is_followed(page):
    assert theme(page)[0] == "dark"
    charts_are_drawn(page)


def what_no_window_recorded_is_told(page):
    """A window that did not open left out all of the run, not what came before its end."""
    text = text_of(page, "#summary .warn")
    assert text.startswith("Of the run, ") and text.endswith(" were not recorded."), text


def nothing_is_said_in_words(page):
    for part in ("functions", "timeline", "blocks", "mix", "phases", "flame", "calls"):
        text = text_of(page, f"#{part} .absent")
        assert len(text) > 10 and text[0].isupper() and text[-1] == ".", (part, text)
    nothing_to_complain(page)


def deep_calls_are_drawn(page):
    assert number_of(page, ".frame") > 1000
    page.run("document.querySelector('.frame:last-of-type').click()")
    assert number_of(page, ".frame.above") > 1000


def few_instructions_are_counted(page):
    tiles = text_of(page, "#summary .tiles")
    assert "1block, 1 distinct" in tiles, tiles
    assert re.search(r"[1-9],\d{3} bits per instruction", tiles), tiles
    assert "killed by signal 5 (Trace/breakpoint trap)" in tiles, tiles


def names_are_only_names(page):
    assert page.run("typeof window.hostile") == "undefined"
    assert number_of(page, "img") == 0 and number_of(page, "script") == 3
    for part in ("functions", "flame", "calls", "cover", "timeline", "blocks"):
        assert "onerror=hostile=1" in text_of(page, "#" + part), part
    assert "onerror=hostile=2" in text_of(page, "h1")
    assert "hostile=3" in text_of(page, "#summary")
    nothing_to_complain(page)


def the_policy_holds(page):
    """What names cannot do is also forbidden."""
    page.run("""
        const host = document.createElement("div");
        host.innerHTML = '<img src="http://127.0.0.1:9/x.png" onerror="hostile=4">';
        const script = document.createElement("script");
        script.textContent = "window.hostile = 5";
        document.body.append(host, script);
        await new Promise((done) => setTimeout(done, 200));
        host.remove();
        return 1""")
    assert page.run("typeof window.hostile") == "undefined"
    refused = [text for text in page.complaints() if "violates" in text]
    assert len(refused) == 3, refused


def memory_is_drawn(page):
    for nth in range(3):
        copy = f"document.querySelectorAll('#memory .plot canvas')[{nth}]"
        page.run(f"{copy}.id = 'memory-chart-{nth}'")
        assert colours(page, f"#memory-chart-{nth}") >= 3, nth
    assert number_of(page, "#memory .keys li") == 3
    everything_fits(page)


def everything_fits(page):
    for width in (1400, 800, 400):
        page.size(width, 800)
        page.settle()
        assert page.run("document.documentElement.scrollWidth") <= width, width
    page.size(1280, 800)
    page.settle()


def loads_and_stores_differ(page):
    picture = "document.querySelector('#memory .plot canvas').toDataURL()"
    seen = set()
    for nth in (1, 2, 0):
        page.run(f"document.querySelectorAll('#memory .kinds button')[{nth}].click()")
        page.settle()
        seen.add(page.run(picture))
    assert len(seen) == 3
    assert number_of(page, "#memory .kinds [aria-pressed='true']") == 1


def memory_is_zoomed_with_the_timeline(page):
    picture = page.run("document.querySelector('#memory .plot canvas').toDataURL()")
    press(page, "Zoom in")
    assert picture != page.run("document.querySelector('#memory .plot canvas').toDataURL()")
    press(page, "Show all of it")


def memory_is_told(page):
    page.run("document.getElementById('memory').scrollIntoView(); return 1")
    page.settle()
    told = ("instructions from", "touched", "misses")
    for nth, word in enumerate(told):
        page.run(f"document.querySelectorAll('#memory .u-over')[{nth}].scrollIntoView("
                 "{ block: 'center' }); return 1")
        page.settle()
        x, y, width, height = page.run(
            f"const box = document.querySelectorAll('#memory .u-over')[{nth}]"
            ".getBoundingClientRect(); return [box.x, box.y, box.width, box.height]")
        page.mouse("mouseMoved", x + width / 2, y + height / 2)
        page.settle()
        text = page.run(f"document.querySelectorAll('#memory .readout')[{nth}].textContent")
        assert word in text, (nth, text)


def long_names_are_short(page):
    """A name of several lines loses what is nested deepest; it is found by all of it."""
    rows = page.run("""[...document.querySelectorAll("#functions td.name a")]
        .map((a) => [a.textContent, a.title.split("\\n")[0]])""")
    short, whole = next(pair for pair in rows if "shape::weigh" in pair[1])
    assert len(short) <= 56 and "shape::weigh<…>(…)" in short, short
    assert "std::less<" in whole and len(whole) > 200, whole
    page.run("""const input = document.querySelector("#functions input"); input.value = "std::less<";
        input.dispatchEvent(new Event("input")); return 1""")
    assert short in cells_of(page, "functions", 1)
    page.run("""const input = document.querySelector("#functions input"); input.value = "";
        input.dispatchEvent(new Event("input")); return 1""")
    assert number_of(page, "#calls td .name wbr"), "names are divided behind their parts"
    for width in (1400, 800, 400):
        page.size(width, 900)
        page.settle()
        heights = page.run("""[...document.querySelectorAll(
            "#functions tbody tr, #lines tbody tr, #loops tbody tr")].map((row) => row.offsetHeight)""")
        assert heights and max(heights) < 90, (width, max(heights))
        # The names below a narrow chart are whole.
        cut = page.run("""[...document.querySelectorAll("#timeline .legend .name")]
            .filter((name) => name.scrollWidth > name.clientWidth).map((name) => name.textContent)""")
        assert width > 980 or not cut, (width, cut)
        # A line's number is never broken in two.
        lines = page.run("""[...document.querySelectorAll("#lines td:first-child")]
            .map((cell) => cell.getClientRects().length && cell.offsetHeight <=
                cell.parentNode.offsetHeight && getComputedStyle(cell).whiteSpace)""")
        assert lines and set(lines) == {"nowrap"}, lines
    page.size(1280, 800)
    page.settle()


def callees_of(page, name):
    """Names and calls of what a function's page lists."""
    page.run(f"""location.hash = "function=" + (1 + JSON.parse(document.getElementById("data")
        .textContent).names.findIndex(([name]) => name === "{name}"))""")
    page.until("document.querySelector('#function:not([hidden]) h2')")
    rows = page.run("""[...document.querySelectorAll("#function .arcs")].pop() &&
        [...[...document.querySelectorAll("#function .arcs")].pop().querySelectorAll("tbody tr")]
        .map((row) => [row.firstChild.textContent, row.lastChild.textContent])""")
    page.run("document.querySelector('#function a').click()")
    page.until("document.getElementById('function').hidden")
    return dict(rows)


def inlined_functions_are_callees(page):
    assert "Inlined functions are functions here" in text_of(page, "#functions")
    assert "Inlined functions count in those around them" in text_of(page, "#timeline")
    called = callees_of(page, "main")
    assert called["shape::area(int volatile*)"] == "1", called
    assert [calls for name, calls in called.items() if "twice" in name] == ["–"], called
    # Of a function with nothing inlined one sum is enough.
    page.run("""[...document.querySelectorAll("#functions td.name a")]
        .find((a) => a.textContent.startsWith("shape::area")).click(); return 1""")
    page.until("document.querySelector('#function:not([hidden]) .lede')")
    facts = text_of(page, "#function .lede")
    assert facts.count("instructions of its own") == 1, facts
    page.run("location.hash = ''; return 1")
    page.until("document.querySelector('#function[hidden]')")


def events_say_their_threads(page):
    assert {"begin 3", "end 3"} <= set(cells_of(page, "marks", 1))
    assert all("thread 0" in text for text in cells_of(page, "marks", 2))
    calls = dict(zip(cells_of(page, "syscalls", 1), cells_of(page, "syscalls", 5)))
    assert "of thread 0" in calls["exit_group"] and "of thread 1" in calls["exit"], calls


def the_boot_is_drawn(page):
    assert text_of(page, "h1") == "riscv64 machine"
    assert number_of(page, "#boot .spans li") == 40
    assert number_of(page, "#boot tbody tr") >= 10
    widths = page.run("""[...document.querySelectorAll("#boot .spans i")].map((bar) =>
        bar.getBoundingClientRect()).map(({ left, width }) => [left, width])""")
    assert [left for left, _ in widths] == sorted(left for left, _ in widths), widths
    assert all(width >= 1 for _, width in widths) and widths[-1][1] > 50, widths
    assert len(set(page.run("""[...document.querySelectorAll("#boot .spans i")].map((bar) =>
        getComputedStyle(bar).backgroundColor)"""))) == 4
    text = text_of(page, "#boot .body")
    assert "/init began after 2.00" in text and "7 shorter steps took 3" in text, text


MEMORY_CHECKS = [memory_is_drawn, loads_and_stores_differ, memory_is_zoomed_with_the_timeline,
                 memory_is_told, all_has_a_name, nothing_to_complain]
RUN_CHECKS = [charts_are_drawn, nothing_is_wider, tics_say_where_they_are, buttons_zoom, keys_zoom, mouse_zooms,
              pointing_tells, a_function_alone, blocks_open, flame_zooms, search_marks,
              calls_are_followed, coverage_is_searched,
              tables_sort_filter_and_page, functions_have_pages,
              pages_show_all_columns, the_switch_darkens, all_has_a_name,
              nothing_to_complain]


def check(page, checks):
    for one in checks:
        name = one.__name__.replace("_", " ")
        try:
            one(page)
            print("ok", name)
        except (AssertionError, RuntimeError):
            print("not ok", name)
            traceback.print_exc()


def main():
    run, nothing, hostile, deep, memory, spaces, boot, missed, single = sys.argv[1:]
    with Browser() as browser:
        # The switch is remembered, so it comes last.
        check(browser.open(run, dark=True), [dark_is_followed, nothing_to_complain])
        check(browser.open(run), RUN_CHECKS)
        check(browser.open(memory), MEMORY_CHECKS)
        check(browser.open(spaces), [colours_are_chosen, long_names_are_short, inlined_functions_are_callees,
                                     events_say_their_threads, nothing_to_complain])
        check(browser.open(boot), [the_boot_is_drawn, all_has_a_name, nothing_to_complain])
        check(browser.open(nothing), [nothing_is_said_in_words])
        check(browser.open(missed), [what_no_window_recorded_is_told, nothing_to_complain])
        check(browser.open(single), [few_instructions_are_counted, nothing_to_complain])
        check(browser.open(deep), [deep_calls_are_drawn, nothing_to_complain])
        check(browser.open(hostile), [names_are_only_names, source_stands_beside_code, search_marks, the_policy_holds])


main()
