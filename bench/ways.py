# SPDX-License-Identifier: GPL-2.0-or-later
"""The ways to run a guest that are held beside one another, and how each is started.

QEMU's own plugins run as they are, with their default options; what they say goes to a
file.
"""

import os
import re
import shlex
from dataclasses import dataclass
from typing import Callable

import cases
import measure

HERE = os.path.dirname(os.path.abspath(__file__))
BUILD_PLUGINS = os.path.join(HERE, "peers", "build.sh")
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+-]*")
# What is measured everywhere; when one of these fails, there is nothing to say.
ALWAYS = ("none", "floor", "waymark")
CONTRIB = {
    "execlog": "",
    "bbv": ",outfile={out}/bbv",
    "hotblocks": "",
    "howvec": "",
    "drcov": ",filename={out}/drcov",
    "cflow": "",
}
LOG = ["-d", "in_asm,exec,nochain", "-D"]


@dataclass(frozen=True)
class Way:
    """A mode's name, and the command for a guest whose output is to go to a folder."""

    name: str
    command: Callable
    slow: bool = False  # hundreds of times slower than no tracing


def under_qemu(setup, guest, *more):
    words = [setup.qemu, "-L", setup.sysroot, *more, *guest.options, *guest.words]
    return measure.Command(words, guest.stdin, guest.folder)


def plugin(name, path, arguments="", slow=False):
    """A QEMU plugin; what it says by QEMU's log goes to a file."""
    def command(setup, guest, out):
        return under_qemu(setup, guest, "-plugin", path + arguments.format(out=out),
                          "-d", "plugin", "-D", f"{out}/said")

    return Way(name, command, slow)


def recording(name="waymark", *options):
    def command(setup, guest, out):
        passed = [word for option in guest.options for word in ("--qemu-arg", option)]
        words = [f"{setup.build}/waymark", "record", "-o", f"{out}/run.wmk", "--guide",
                 "none", "--qemu", setup.qemu, "-L", setup.sysroot, *options, *passed, "--", *guest.words]
        return measure.Command(words, guest.stdin, guest.folder)

    return Way(name, command)


def log(name, file):
    def command(setup, guest, out):
        return under_qemu(setup, guest, *LOG, file.format(out=out))

    return Way(name, command)


def always(setup):
    return [Way("none", lambda setup, guest, out: under_qemu(setup, guest)),
            plugin("floor", f"{setup.build}/bench/libwaymark-floor-v{setup.api}.so"),
            recording()]


def published(setup):
    path = f"{setup.build}/bench/libwaymark-published-v{setup.api}.so"
    return plugin("published", path, ",out={out}/peer")


def contrib(setup):
    """Those that this QEMU has and that are wanted; none when they cannot be built."""
    if setup.modes and not set(setup.modes) & set(CONTRIB):
        return []
    try:
        folder = measure.told_by([BUILD_PLUGINS, setup.qemu]).strip()
    except measure.Failed:
        return []  # it said why
    return [plugin(name, f"{folder}/{name}.so", arguments, name == "execlog")
            for name, arguments in CONTRIB.items()
            if os.path.exists(f"{folder}/{name}.so")]


def from_user(peer):
    """NAME=COMMAND, where {} stands for the guest's command and {out} for a folder."""
    name, equals, template = peer.partition("=")
    taken = [*ALWAYS, "log", "log-null", "published", "mem", "mem-data", *CONTRIB]
    if not equals or not NAME.fullmatch(name):
        raise cases.Malformed(f"--peer {peer}: this is not NAME=COMMAND")
    if name in taken:
        raise cases.Malformed(f"--peer {peer}: {name} is there already")
    try:
        words = shlex.split(template)
    except ValueError as error:
        raise cases.Malformed(f"--peer {peer}: {error}") from None
    if not any("{}" in word for word in words):
        raise cases.Malformed(f"--peer {peer}: there is no {{}} for the guest's command")

    def command(setup, guest, out):
        filled = []
        for word in words:
            word = word.replace("{out}", out)
            filled += guest.words if word == "{}" else \
                [word.replace("{}", shlex.join(guest.words))]
        return measure.Command(filled, guest.stdin, guest.folder)

    return Way(name, command)


def all_of(setup):
    """By name, in the order in which they run."""
    found = always(setup) + [log("log", "{out}/log"), log("log-null", "/dev/null"),
                             published(setup)]
    found += contrib(setup)
    mine = [from_user(peer) for peer in setup.peer]
    if len({way.name for way in mine}) != len(mine):
        raise cases.Malformed("there are two --peer of the same name")
    names = {way.name for way in found + mine} | set(CONTRIB)
    for name in setup.modes or ():
        if name not in names:
            raise cases.Malformed(f"there is no mode {name}; there are "
                                  f"{', '.join(sorted(names))}")
    return {way.name: way for way in found + mine
            if not setup.modes or way.name in ALWAYS or way.name in setup.modes}
