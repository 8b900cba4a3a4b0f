# SPDX-License-Identifier: GPL-2.0-or-later
"""Runs commands and measures them: time of the whole process tree, peak memory of each.

Times come from wait4(), which counts a child and all it has waited for: with Waymark the
child is the collector and QEMU is its child. Peak memory of the two is sampled from
/proc in a run of its own, so that looking does not disturb the timed ones.
"""

import os
import subprocess
import time
from dataclasses import dataclass

SAMPLE_SECONDS = 0.02


@dataclass
class Cost:
    """What one run took."""

    wall: float
    cpu: float  # user and system, of the whole tree


class Failed(Exception):
    """A command did not end with the status it should."""


def start(command):
    """Starts a command with its input empty and its output thrown away."""
    return subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )


def finish(process):
    """Waits for a command; its usage, or Failed with the end of what it said."""
    said = process.stderr.read()
    process.stderr.close()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        tail = said.decode(errors="replace")[-500:]
        raise Failed(f"{' '.join(process.args)}: exit {process.returncode}\n{tail}")
    return usage


def cost_of(command):
    begin = time.monotonic()
    usage = finish(start(command))
    return Cost(time.monotonic() - begin, usage.ru_utime + usage.ru_stime)


def output_of(command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def children_of(pid):
    try:
        with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as file:
            return [int(word) for word in file.read().split()]
    except OSError:
        return []


def peak_of(pid):
    """The most memory a process has had so far, in KiB, and its name; (0, "") if gone."""
    try:
        with open(f"/proc/{pid}/status", encoding="ascii", errors="replace") as file:
            fields = dict(line.split(":", 1) for line in file if ":" in line)
        return int(fields["VmHWM"].split()[0]), fields["Name"].strip()
    except (OSError, KeyError, ValueError):
        return 0, ""


def peaks_of(command):
    """Peak memory in MiB of (QEMU, the collector); the latter 0 when there is none."""
    process = start(command)
    peaks = {"qemu": 0, "collector": 0}
    while True:
        pids = [process.pid] + children_of(process.pid)
        for pid in pids:
            peak, name = peak_of(pid)
            who = "qemu" if name.startswith("qemu") else "collector"
            peaks[who] = max(peaks[who], peak)
        # Not poll(): finish() wants to be the one who waits.
        if os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT):
            break
        time.sleep(SAMPLE_SECONDS)
    finish(process)
    return peaks["qemu"] / 1024, peaks["collector"] / 1024
