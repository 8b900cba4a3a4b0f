#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Makes the C source of the page that `waymark report` fills in.

usage: make-page.py OUT.c DEPFILE FOLDER

FOLDER (report/page) has page.html, whose marks @STYLE@, @DATA@ and @SCRIPT@ are replaced:
the style and the scripts by those in the folder and the chart library's, from the package
that tools/fetch-uplot.sh finds; what is before @DATA@ and what is after it become two
arrays. @POLICY@ becomes a Content-Security-Policy that lets these very scripts and styles
run, known by their checksums, and nothing else: no other script, and no network.

Without the library the arrays are empty, so that all the rest can be built. The depfile
then names a file that is not there: the next build tries again.
"""

import base64
import hashlib
import pathlib
import subprocess
import sys
import tarfile

HERE = pathlib.Path(__file__).resolve().parent
SCRIPTS = ["base.js", "theme.js", "plot.js", "summary.js", "timeline.js", "blocks.js",
           "mix.js", "phases.js", "machine.js", "boot.js", "memory.js", "flame.js", "calls.js", "cover.js",
           "tables.js", "methods.js", "function.js", "main.js"]


def library(package):
    """The library's script and style, with its licence before the script."""
    with tarfile.open(package) as tar:
        def text(name):
            return tar.extractfile("package/" + name).read().decode()
        licence = "/*! uPlot, which draws the charts:\n\n" + text("LICENSE") + "*/\n"
        return licence + text("dist/uPlot.iife.min.js"), text("dist/uPlot.min.css")


def checksum(text):
    digest = hashlib.sha256(text.encode()).digest()
    return "'sha256-" + base64.b64encode(digest).decode() + "'"


def policy(scripts, style):
    return "; ".join(["default-src 'none'",
                      "script-src " + " ".join(map(checksum, scripts)),
                      "style-src " + checksum(style),
                      "img-src data:", "base-uri 'none'", "form-action 'none'"])


def halves(folder, package):
    charts, charts_style = library(package)
    own = "\n".join((folder / name).read_text() for name in SCRIPTS)
    scripts = [charts, '"use strict";\n(() => {\n' + own + "})();\n"]
    style = charts_style + (folder / "page.css").read_text()
    for text in scripts + [style]:
        assert "</" + "script" not in text and "<!--" not in text
    page = (folder / "page.html").read_text()
    page = page.replace("@POLICY@", policy(scripts, style))
    page = page.replace("@STYLE@", style)
    page = page.replace("@SCRIPT@",
                        "".join("<script>" + text + "</script>\n" for text in scripts))
    return page.split("@DATA@")


def array(name, text):
    """A C array: of signed numbers, for strings have a greatest length."""
    data = text.encode()
    lines = [",".join(str((byte ^ 128) - 128) for byte in data[i:i + 24]) + ",\n"
             for i in range(0, len(data), 24)]
    return (f"const char {name}[] = {{\n" + "".join(lines) + "0};\n"
            f"const size_t {name}_bytes = {len(data)};\n")


def source(head, tail):
    return ('#include "report/page.h"\n\n' + array("page_head", head) +
            array("page_tail", tail))


def main():
    out, depfile, folder = sys.argv[1:]
    folder = pathlib.Path(folder)
    found = subprocess.run([HERE / "fetch-uplot.sh"], stdout=subprocess.PIPE, text=True)
    package = found.stdout.strip()
    head, tail = halves(folder, package) if package else ("", "")
    if not package:
        print("make-page: without the chart library, `waymark report` will not work",
              file=sys.stderr)
    needs = [str(folder / name) for name in SCRIPTS + ["page.html", "page.css"]]
    needs.append(package or out + ".library-is-missing")
    needs.append(str(HERE / "fetch-uplot.sh"))
    pathlib.Path(out).write_text(source(head, tail))
    pathlib.Path(depfile).write_text(out + ": " + " ".join(needs) + "\n")


main()
