# SPDX-License-Identifier: GPL-2.0-or-later
"""The guest programs: those of the tests, the kernels, and a folder of the user's."""

import dataclasses
import os
import shlex

import cases
import measure

HERE = os.path.dirname(os.path.abspath(__file__))
WORKLOAD = os.path.join(HERE, "..", "tests", "workload.sh")
KERNELS = os.path.join(HERE, "kernels", "cases")
# Guests that only one part of the benchmark runs, in its own way.
APART = ("threads", "once", "true")


def workload(name, length):
    """QEMU's options (each with a value) come before the program."""
    words = shlex.split(measure.output_of([WORKLOAD, name, length]))
    at = 0
    while words[at].startswith("-"):
        at += 2
    return cases.Invocation(words[at:], tuple(words[:at]))


def of_folder(folder, names):
    path = os.path.join(folder, "cases")
    guests = cases.read(path, folder)
    for guest in guests:
        if guest.name in names:
            raise cases.Malformed(f"{path}: {guest.name} is the name of another guest")
    return [dataclasses.replace(guest, users=True) for guest in guests]


def chosen(build, folder, only, ours=None):
    """All of them, or the `only` ones, or these of `ours` and the user's; Malformed when
    there is none of such a name."""
    workloads = measure.output_of([WORKLOAD, "--list"]).split()
    others = cases.read(KERNELS, f"{build}/kernels")
    if folder:
        others += of_folder(folder, workloads + [guest.name for guest in others] +
                            list(APART))
    known = workloads + [guest.name for guest in others]
    for name in only or ():
        if name not in known and name not in APART:
            raise cases.Malformed(f"there is no guest {name}; there are "
                                  f"{', '.join([*known, *APART])}")

    def wanted(name, users=False):
        if only:
            return name in only
        return users or not ours or name in ours

    found = [cases.Guest(name, workload(name, "bench"), workload(name, "short"))
             for name in workloads if wanted(name)]
    return found + [guest for guest in others if wanted(guest.name, guest.users)]
