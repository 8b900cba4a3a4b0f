# SPDX-License-Identifier: GPL-2.0-or-later
"""Prints what dis says of each bytecode of a script: function, offset and text.

The text is a listing's: an operand by name where dis has one, else the number; of jumps the
offset. Constants are cut, and code has no address.
"""
import dis
import sys


def cut(text):
    data = text.encode()
    return text if len(data) <= 40 else data[:40].decode(errors="ignore") + "…"


def constant(value):
    """repr() of what is cut before it is written."""
    if isinstance(value, (str, bytes)):
        return repr(value[:41])
    if isinstance(value, type(cut.__code__)):
        return f"<code object {value.co_name}>"
    if isinstance(value, tuple):
        all_of = [constant(one) for one in value]
        return "(" + ", ".join(all_of) + (",)" if len(value) == 1 else ")")
    return repr(value)


def text(one):
    opcode = dis._all_opname[one.opcode]
    if one.opcode in dis.hasconst and opcode != "LOAD_COMMON_CONSTANT":
        return cut(constant(one.argval))
    if one.opcode in dis.hasjump:
        return str(one.argval)
    if opcode in ("IS_OP", "CONTAINS_OP"):  # 3.13 has no names for these
        return ("not " if one.arg and opcode == "CONTAINS_OP" else "") + \
            {"IS_OP": ("is", "is not")[one.arg], "CONTAINS_OP": "in"}[opcode]
    return one.argrepr or ("" if one.arg is None else str(one.arg))


def each(code):
    for one in dis.get_instructions(code):
        print(f"{code.co_qualname}@{one.offset} {one.opname} {text(one)}".rstrip())
    for value in code.co_consts:
        if isinstance(value, type(code)):
            each(value)


sys.stdout.reconfigure(encoding="utf-8", errors="backslashreplace")
with open(sys.argv[1], encoding="utf-8") as file:
    each(compile(file.read(), sys.argv[1], "exec"))
