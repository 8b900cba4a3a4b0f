# SPDX-License-Identifier: GPL-2.0-or-later
#
# compacting.py WAYMARK NOISE: records NOISE with --last, and kills the recorder or the guest,
# after the file was compacted a few times or while it is. What there is must be a part of
# what NOISE does, up to that moment.

import json
import os
import signal
import subprocess
import sys
import time

from numbers_of import numbers

waymark, noise = sys.argv[1:]
NAME, FULL, ROUNDS, SAME = "killed.wmk", "whole.wmk", "12000000", 20000
GUARD = int(os.environ.get("GUARD", "600"))
failures = 0


def check(what, good, why=""):
    global failures
    print("ok" if good else "not ok", what)
    if not good:
        failures += 1
        print("# " + str(why).replace("\n", "\n# "))


def record(path, *options):
    # Where its stack lies would make a difference.
    return subprocess.Popen(["setarch", "-R", waymark, "record", *options, "-o", path, noise,
                             ROUNDS],
                            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def insns(path, first):
    """Some instructions from one on, without their numbers."""
    run = subprocess.run([waymark, "insns", "--format", "csv", "--from", str(first), "-n",
                          str(SAME), path],
                         stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False,
                         text=True)
    return [line.split(",", 1)[1] for line in run.stdout.splitlines()]


# ---- the moment --------------------------------------------------------------


def inode():
    try:
        return os.stat(NAME).st_ino
    except FileNotFoundError:
        return None


def temporaries():
    return [name for name in os.listdir(".") if name.startswith(NAME + ".")]


def wait_for(guest, condition):
    while not condition():
        if guest.poll() is not None:
            return False
    return True


def wait_for_changes(guest, n):
    """Until the file is there, and another one has taken its name n times."""
    last = None
    for _ in range(n + 1):
        if not wait_for(guest, lambda: inode() not in (None, last)):
            return False
        last = inode()
    return True


def recorder_of(pid):
    """None: the program has ended."""
    run = subprocess.run([waymark, "ctl", str(pid), "status", "--format", "json"],
                         stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False)
    return json.loads(run.stdout)["recorder"] if run.returncode == 0 else None


def kill(pid):
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        pass


# ---- killing -----------------------------------------------------------------


def killed_in_time(last, who, during, changes):
    """Records, and kills at the moment; False: the program ended before it."""
    for name in [NAME, *temporaries()]:
        if os.path.exists(name):
            os.unlink(name)
    with record(NAME, "--last", last) as guest:
        in_time = wait_for_changes(guest, 0)
        recorder = recorder_of(guest.pid)
        in_time = in_time and recorder is not None and wait_for_changes(guest, changes)
        if in_time and during:
            in_time = wait_for(guest, temporaries)
        if recorder and who == "recorder":
            kill(recorder)
        kill(guest.pid)
    return in_time


def kill_one(last, who, during, changes):
    what = (f"--last {last}: {who} killed {'while' if during else 'after'} it is "
            f"compacted, time {changes}")
    # A busy machine may let no look at the folder happen while the other file is there.
    until = time.monotonic() + GUARD
    in_time = killed_in_time(last, who, during, changes)
    while not in_time and time.monotonic() < until:
        in_time = killed_in_time(last, who, during, changes)
    check(f"{what}: in time", in_time, "the program ended too early")
    verify = subprocess.run([waymark, "verify", NAME], stdout=subprocess.PIPE,
                            stderr=subprocess.STDOUT, check=False, text=True)
    if who == "guest":
        check(f"{what}: sound", verify.returncode == 0, verify.stdout)
        check(f"{what}: nothing else is left", not temporaries(), temporaries())
    else:
        check(f"{what}: sound as far as it goes",
              verify.returncode == 1 and "cut short" in verify.stdout, verify.stdout)
    passed, there = numbers(NAME)
    check(f"{what}: something is passed", passed > 0)
    check(f"{what}: and much is there", there > 500000, there)
    # What was being executed when the guest was killed may be less than a block.
    end = there - SAME - 1000
    check(f"{what}: it begins there", insns(NAME, 0) == insns(FULL, passed), passed)
    check(f"{what}: it goes on", insns(NAME, end) == insns(FULL, passed + end), passed)


with record(FULL) as whole:
    whole.wait()
for wish in "300k", "3M-insns":
    for killed in "recorder", "guest":
        for while_it_is in False, True:
            kill_one(wish, killed, while_it_is, 1 + while_it_is)
sys.exit(failures > 0)
