# SPDX-License-Identifier: GPL-2.0-or-later
"""
usage: sizes.py [--report] FILE...

Prints what is beyond the bar of CONTRIBUTING.md: C files of more than 600 lines, functions of
more than 60, .c files whose licence line is not followed by a comment, and the median and the
90th percentile of functions beyond 8 and 20 lines; those of tests, which are sequences of
checks, may have 9 and 22. --report prints the figures instead.

clang-format puts the braces of a function at the start of a line, so a function is what is
between a line "{" and the next line "}"; these are the lines that count.
"""

import re
import sys

FILE_LINES = 600
FUNCTION_LINES = 60
MEDIAN_LINES = 8
P90_LINES = 20
TESTS_MEDIAN_LINES = 9
TESTS_P90_LINES = 22


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


def report(paths, lengths):
    return (f"{len(paths)} files, {len(lengths)} functions: median {median(lengths)} lines, "
            f"p90 {p90(lengths)}, longest {max(lengths)}")


def median(lengths):
    return sorted(lengths)[len(lengths) // 2]


def p90(lengths):
    return sorted(lengths)[len(lengths) * 9 // 10]


def check(what, lengths, median_lines, p90_lines):
    """Of some files only, the figures say little."""
    if len(lengths) >= 1000 and (median(lengths) > median_lines or p90(lengths) > p90_lines):
        print(f"{what}: median {median(lengths)} lines, p90 {p90(lengths)}, "
              f"more than {median_lines} and {p90_lines}")


def main():
    paths = [word for word in sys.argv[1:] if word != "--report"]
    lengths, of_tests = [], []
    for path in paths:
        with open(path, encoding="utf-8") as file:
            lines = file.read().splitlines()
        mine = of_tests if path.startswith("tests/") else lengths
        mine += [length for _, _, length in functions(lines)]
        if "--report" not in sys.argv:
            for fault in faults(path, lines):
                print(fault)
    if "--report" in sys.argv:
        print(report(paths, lengths + of_tests))
    else:
        check("functions", lengths, MEDIAN_LINES, P90_LINES)
        check("functions of tests", of_tests, TESTS_MEDIAN_LINES, TESTS_P90_LINES)


main()
