# SPDX-License-Identifier: GPL-2.0-or-later
"""Runs commands and measures them: time of the whole process tree, and its peak memory.

Times come from wait4(), which counts a child and all it has waited for. With Waymark the
child is QEMU, and the recorder is an orphan: this process adopts orphans, and counts them
too. Peak memory is sampled from /proc, which is
done in runs that are not timed unless they take long.

Whatever a command does, it ends: after a number of seconds, when it writes a file of more
than OUTPUT_MAX bytes, and when we are interrupted.
"""

import ctypes
import os
import resource
import select
import signal
import subprocess
import tempfile
import time
from dataclasses import dataclass

SAMPLE_SECONDS = 0.005
OUTPUT_MAX = 4 << 30
MIB = 1 << 20
PR_SET_CHILD_SUBREAPER = 36

ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


class Failed(Exception):
    """A command did not end with status 0."""

    def __init__(self, message, status):
        super().__init__(message)
        self.status = status


class TooLong(Exception):
    """A command took longer than it may, and was killed."""


@dataclass(frozen=True)
class Command:
    """What is run, where its input comes from, and where it runs (here)."""

    words: list
    stdin: str = os.devnull
    folder: str | None = None


@dataclass
class Cost:
    """What one run took; memory is 0 where nobody looked."""

    wall: float
    cpu: float  # user and system, of the whole tree
    own_cpu: float = 0.0  # the same without processes that it left, as the recorder is
    peak_mib: float = 0.0  # of all processes together
    collector_mib: float = 0.0


def children_of(pid):
    found = []
    try:
        for thread in os.listdir(f"/proc/{pid}/task"):
            with open(f"/proc/{pid}/task/{thread}/children", encoding="ascii") as file:
                found += [int(word) for word in file.read().split()]
    except OSError:
        pass
    return found


def tree_of(pid):
    """A process and all below it."""
    pids = [pid]
    for parent in pids:
        pids += children_of(parent)
    return pids


def peak_of(pid):
    """The most memory a process has had, in bytes, and its name; (0, "") if gone."""
    try:
        with open(f"/proc/{pid}/status", encoding="ascii", errors="replace") as file:
            fields = dict(line.split(":", 1) for line in file if ":" in line)
        return int(fields["VmHWM"].split()[0]) * 1024, fields["Name"].strip()
    except (OSError, KeyError, ValueError):
        return 0, ""


def sample(cost):
    peaks = [peak_of(each) for each in tree_of(os.getpid())[1:]]
    collector = sum(peak for peak, name in peaks if name == "waymark")
    cost.peak_mib = max(cost.peak_mib, sum(peak for peak, _ in peaks) / MIB)
    cost.collector_mib = max(cost.collector_mib, collector / MIB)


def kill_all():
    """All that was started, wherever it moved, and waits for it."""
    for each in tree_of(os.getpid())[1:]:
        try:
            os.kill(each, signal.SIGKILL)
        except ProcessLookupError:
            pass
    wait_for_orphans()


def wait_for_orphans():
    """Waits for all children; what CPU time they took."""
    seconds = 0
    for pid in children_of(os.getpid()):
        _, _, usage = os.wait4(pid, 0)
        seconds += usage.ru_utime + usage.ru_stime
    return seconds


def wait(pid, limit, cost):
    """Waits until a child has ended, which is left to be waited for; looks at its memory
    if a cost is given."""
    deadline = time.monotonic() + limit
    ended = select.poll()
    handle = os.pidfd_open(pid)
    try:
        ended.register(handle, select.POLLIN)
        while not ended.poll((SAMPLE_SECONDS if cost else limit) * 1000):
            if time.monotonic() >= deadline:
                raise TooLong(f"killed after {limit:g} s")
            if cost:
                sample(cost)
    finally:
        os.close(handle)


def limit_files():
    """In the child, before it becomes the command, which could write much at once."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (OUTPUT_MAX, OUTPUT_MAX))


def cost_of(command, limit, look=False):
    """Runs a command whose output is thrown away; Failed or TooLong when it does not end
    as it should. With `look`, its memory too."""
    cost = Cost(0, 0)
    with open(command.stdin, "rb") as stdin, tempfile.TemporaryFile() as stderr:
        begin = time.monotonic()
        process = subprocess.Popen(command.words, stdin=stdin, stdout=subprocess.DEVNULL,
                                   stderr=stderr, cwd=command.folder,
                                   preexec_fn=limit_files)
        try:
            wait(process.pid, limit, cost if look else None)
        except BaseException:
            kill_all()
            process.returncode = -signal.SIGKILL
            raise
        _, status, usage = os.wait4(process.pid, 0)
        cost.wall = time.monotonic() - begin
        cost.own_cpu = usage.ru_utime + usage.ru_stime
        cost.cpu = cost.own_cpu + wait_for_orphans()
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode != 0:
            stderr.seek(max(0, stderr.seek(0, os.SEEK_END) - 500))
            said = stderr.read().decode(errors="replace").strip()
            raise Failed(f"{' '.join(command.words)}: {ended_by(process.returncode)}"
                         f"{': ' if said else ''}{said}", process.returncode)
    return cost


def ended_by(status):
    if status >= 0:
        return f"exit status {status}"
    if status == -signal.SIGXFSZ:
        return f"a file of more than {OUTPUT_MAX >> 30} GiB"
    return f"killed by {signal.Signals(-status).name}"


def output_of(words):
    return subprocess.run(words, check=True, capture_output=True, text=True).stdout


def told_by(words):
    """The output of a command whose messages are for the user, and which tidies up when
    it is to end; Failed."""
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as process:
        try:
            told = process.stdout.read()
        except BaseException:
            process.terminate()
            raise
    if process.returncode != 0:
        raise Failed(f"{words[0]}: {ended_by(process.returncode)}", process.returncode)
    return told
