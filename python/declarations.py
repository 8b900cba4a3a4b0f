#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
#
# declarations.py OUTPUT HEADER... - the library's declarations, as CFFI reads them.
#
# CFFI parses C declarations, but neither comments of the preprocessor nor attributes, and
# no function bodies. The inline functions of waymark.h hand sizeof() of a struct to the
# function of the same name with "_sized", which Python calls itself.

import re
import sys

HEAD = '''# SPDX-License-Identifier: GPL-2.0-or-later
# Made by python/declarations.py from the headers of the library.
"""The declarations of libwaymark."""

DECLARATIONS = """
'''


def declarations(text):
    """What remains of a header."""
    constants = re.findall(r"^#define (WM_\w+) (\d+)$", text, flags=re.M)
    text = re.sub(r"/\*.*?\*/|//[^\n]*", "", text, flags=re.S)
    text = re.sub(r'#ifdef __cplusplus\n.*?#endif\n', "", text, flags=re.S)
    text = re.sub(r"^#.*\n", "", text, flags=re.M)
    text = re.sub(r"static inline [^{]*\{.*?^\}\n", "", text, flags=re.S | re.M)
    text = re.sub(r"__attribute__\(\(.*?\)\)\)", "", text)
    text = re.sub(r"\bWM_API\b", "", text)
    for name, value in constants:
        text = re.sub(rf"\b{name}\b", value, text)
    return re.sub(r"\n\s*\n+", "\n", text).strip() + "\n"


def main(output, headers):
    parts = []
    for header in headers:
        with open(header, encoding="utf-8") as file:
            parts.append(declarations(file.read()))
    with open(output, "w", encoding="utf-8") as file:
        file.write(HEAD + "".join(parts) + '"""\n')


main(sys.argv[1], sys.argv[2:])
