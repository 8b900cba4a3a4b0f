# SPDX-License-Identifier: GPL-2.0-or-later
"""
usage: sizes.py [--report] FILE...

Prints what is beyond the bar of CONTRIBUTING.md: C files of more than 600 lines, functions of
more than 60, and .c files whose licence line is not followed by a comment. --report prints
the median, the 90th percentile and the longest instead.

clang-format puts the braces of a function at the start of a line, so a function is what is
between a line "{" and the next line "}"; these are the lines that count.
"""

import re
import sys

FILE_LINES = 600
FUNCTION_LINES = 60


def functions(lines):
    """(name, line, lines of its body) of each function."""
    for number, line in enumerate(lines):
        if line != "{":
            continue
        first = number - 1
        while first > 0 and re.match(r"[\t ]", lines[first]):
            first -= 1  # parameters on lines of their own
        end = lines.index("}", number) if "}" in lines[number:] else None
        name = re.search(r"(\w+)\(", " ".join(lines[first:number]))
        if end and name:
            yield name[1], first + 1, end - number - 1


def faults(path, lines):
    if len(lines) > FILE_LINES:
        yield f"{path}: {len(lines)} lines, more than {FILE_LINES}"
    if path.endswith(".c") and not any(line.startswith(("/*", "//")) for line in lines[1:3]):
        yield f"{path}: no comment at its head"
    for name, first, length in functions(lines):
        if length > FUNCTION_LINES:
            yield f"{path}:{first}: {name}() has {length} lines, more than {FUNCTION_LINES}"


def main():
    paths = [word for word in sys.argv[1:] if word != "--report"]
    lengths = []
    for path in paths:
        with open(path, encoding="utf-8") as file:
            lines = file.read().splitlines()
        lengths += [length for _, _, length in functions(lines)]
        if "--report" not in sys.argv:
            for fault in faults(path, lines):
                print(fault)
    if "--report" in sys.argv:
        lengths.sort()
        print(f"{len(paths)} files, {len(lengths)} functions: median "
              f"{lengths[len(lengths) // 2]} lines, p90 {lengths[len(lengths) * 9 // 10]}, "
              f"longest {lengths[-1]}")


main()
