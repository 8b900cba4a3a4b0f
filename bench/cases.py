# SPDX-License-Identifier: GPL-2.0-or-later
"""Guests of a folder of executables, from its file `cases`.

A line each:

    NAME: PROGRAM [ARGUMENT...] [< FILE]

PROGRAM and FILE are in that folder unless they begin with a slash, and the guest runs in
it. Words are quoted as for a shell, of which there is nothing else. A line

    NAME/short: PROGRAM [ARGUMENT...] [< FILE]

is the same guest with less to do, some 20 million instructions, for what is a hundred
times slower than no tracing; without it the whole guest is run there, too. Empty lines and
what follows a # are left out.
"""

import os
import re
import shlex
from dataclasses import dataclass

SHORT = "/short"
NAME = re.compile(rf"[A-Za-z0-9][A-Za-z0-9._+-]*(?:{SHORT})?")
ELF64 = b"\x7fELF\x02\x01"
MACHINE_AT, RISCV = 18, b"\xf3\x00"


class Malformed(Exception):
    """A file of cases says what cannot be done."""


@dataclass(frozen=True)
class Invocation:
    """A guest's command line, options for QEMU, its input, and where it runs."""

    words: list
    options: tuple = ()
    stdin: str = os.devnull
    folder: str | None = None


@dataclass(frozen=True)
class Guest:
    """A guest program as it is, and with less to do."""

    name: str
    full: Invocation
    short: Invocation
    users: bool = False


def program_of(word, folder):
    path = os.path.join(folder, word)
    try:
        with open(path, "rb") as file:
            head = file.read(MACHINE_AT + len(RISCV))
    except OSError as error:
        raise Malformed(f"{path}: {error.strerror}") from None
    if not head.startswith(ELF64) or head[MACHINE_AT:] != RISCV:
        raise Malformed(f"{path} is no program of riscv64")
    if not os.access(path, os.X_OK):
        raise Malformed(f"{path} is not executable")
    return path


def input_of(word, folder):
    path = os.path.join(folder, word)
    if not os.path.isfile(path):
        raise Malformed(f"there is no file {path} to read from")
    return path


def invocation_of(text, folder):
    try:
        words = shlex.split(text, comments=True)
    except ValueError as error:
        raise Malformed(str(error)[:1].lower() + str(error)[1:]) from None
    stdin = os.devnull
    if "<" in words:
        if words.index("<") != len(words) - 2:
            raise Malformed("after < there is to be one file, and nothing else")
        stdin = input_of(words[-1], folder)
        words = words[:-2]
    if not words:
        raise Malformed("there is no program after the name")
    return Invocation([program_of(words[0], folder), *words[1:]], (), stdin, folder)


def put(line, folder, found):
    """Adds a line's invocation to those found, by name."""
    name, colon, rest = line.partition(":")
    name = name.strip()
    if not colon or not NAME.fullmatch(name):
        raise Malformed("this is not `NAME: PROGRAM [ARGUMENT...] [< FILE]`")
    if name in found:
        raise Malformed(f"there are two of the name {name}")
    found[name] = invocation_of(rest, folder)


def read(path, folder):
    """The guests that a file of cases names, whose programs are in the folder."""
    folder = os.path.abspath(folder)
    found = {}
    try:
        with open(path, encoding="utf-8") as file:
            lines = file.read().splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise Malformed(f"{path}: {getattr(error, 'strerror', None) or error}") from None
    for number, line in enumerate(lines, 1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        try:
            put(line, folder, found)
        except Malformed as error:
            raise Malformed(f"{path}:{number}: {error}") from None
    names = [name for name in found if not name.endswith(SHORT)]
    for name in found:
        if name.removesuffix(SHORT) not in names:
            raise Malformed(f"{path}: there is {name}, but no {name.removesuffix(SHORT)}")
    if not names:
        raise Malformed(f"{path}: there are no cases in it")
    return [Guest(name, found[name], found.get(name + SHORT, found[name]))
            for name in names]
