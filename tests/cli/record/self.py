# SPDX-License-Identifier: GPL-2.0-or-later
"""
usage: self.py QEMU WAYMARK SELF GROUP

A program cannot tell that it is recorded: SELF (self.c) prints what it sees of itself, and
GROUP (group.c) signals its own process group. Under QEMU and under `waymark record` they
print the same and end alike, in every place that a caller can give them. Prints TAP.
"""

import difflib
import os
import pty
import re
import resource
import signal
import subprocess
import sys

QEMU, WAYMARK, SELF, GROUP = sys.argv[1:]
WAYS = {"qemu": [QEMU], "record": [WAYMARK, "record", "--qemu", QEMU, "-o", "self.wmk", "--"]}

# What does differ, and is in the manual: memory that the plugin has, and waiting.
DIFFERS = re.compile(r"/proc/self/status: (Vm|Rss|Hugetlb|SigQ|\w*ctxt_switches)")
PIDS = re.compile(r"(/proc/self/status: (Tgid|Pid|PPid|TracerPid|NS\w+):\t)(\d+)")

failures = 0
os.mkdir("elsewhere")


def check(name, good, why=""):
    global failures
    print("ok" if good else "not ok", name)
    if not good:
        failures += 1
        print("# " + str(why).replace("\n", "\n# "))


def comparable(text):
    """The lines without what differs; process ids are 0, or there is one."""
    kept = (line for line in text.splitlines() if not DIFFERS.match(line))
    return [PIDS.sub(lambda found: found[1] + ("0" if found[3] == "0" else "N"), line)
            for line in kept]


# ---- places ------------------------------------------------------------------


def run(command, prepare=None, **options):
    done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, check=False,
                          preexec_fn=prepare, **options)
    return done.returncode, done.stdout, done.stderr


def member(command):
    """a member of its caller's group"""
    return run(command)


def group_leader(command):
    """the leader of a group"""
    return run(command, lambda: os.setpgid(0, 0))


def session_leader(command):
    """the leader of a session"""
    return run(command, start_new_session=True)


def unusual(command):
    """with signals, limits, descriptors and a niceness of its own"""
    def prepare():
        os.umask(0o27)
        os.nice(3)
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
        os.open("/dev/null", os.O_RDONLY)
        os.set_inheritable(os.dup2(1, 17), True)
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGUSR2, signal.SIGCHLD):
            signal.signal(number, signal.SIG_IGN)
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGUSR1, signal.SIGHUP})
        signal.setitimer(signal.ITIMER_REAL, 1000)
        resource.setrlimit(resource.RLIMIT_NOFILE, (99, 101))
    return run(command, prepare, close_fds=False, env={"ONLY": "this"}, cwd="elsewhere")


def on_a_terminal(command):
    """in the foreground of a terminal"""
    pid, master = pty.fork()
    if not pid:
        os.execv(command[0], command)
    seen = b""
    try:
        while chunk := os.read(master, 65536):
            seen += chunk
    except OSError:
        pass  # nobody has the other side open
    status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    os.close(master)
    # What the recorder says at the end is the user's, not the program's.
    return status, re.sub(r"\r\nwaymark: [^\n]*", "", seen.decode().rstrip()), ""


# ---- what is compared --------------------------------------------------------


def compare(place):
    what = {name: place([*way, SELF, str(os.getpid())]) for name, way in WAYS.items()}
    lines = [comparable(what[name][1]) for name in WAYS]
    difference = "\n".join(difflib.unified_diff(*lines, *WAYS, lineterm="", n=0))
    good = not difference and len(lines[0]) > 100 and what["qemu"][0] == what["record"][0]
    check(f"a program sees the same: {place.__doc__}", good, difference or what)


def signals(*words):
    ended = [session_leader([*way, GROUP, *words]) for way in WAYS.values()]
    good = ended[0] == ended[1]
    check(f"its own group: {' '.join(words)}", good, ended)


for somewhere in (member, group_leader, session_leader, unusual, on_a_terminal):
    compare(somewhere)
for number in range(1, 65):
    if number not in (signal.SIGKILL, signal.SIGSTOP, 32, 33):
        signals("ignored", str(number))
for number in (signal.SIGUSR1, signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
    signals("counted", str(number))
for number in (signal.SIGUSR1, signal.SIGTERM, signal.SIGKILL, signal.SIGSEGV):
    signals("default", str(number))
signals("session")
sys.exit(failures > 0)
