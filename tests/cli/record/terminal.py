# SPDX-License-Identifier: GPL-2.0-or-later
"""
usage: terminal.py WAYMARK PROGRAM ENDLESS

`waymark record` on a terminal: PROGRAM (tty.c) has it as its own; what is typed to
interrupt, stop or end it reaches it; and the file is complete. A run of more than a second
(ENDLESS spin) has a line of progress. Prints lines of TAP.
"""

import fcntl
import os
import pty
import re
import select
import struct
import subprocess
import sys
import termios
import time

WAYMARK, PROGRAM, ENDLESS = sys.argv[1:]
PATIENCE_SECONDS = int(os.environ.get("GUARD", "600"))


class Terminal:
    """A command in a session of its own, on a terminal with 31 rows."""

    def __init__(self, *command):
        self.pid, self.master = pty.fork()
        if not self.pid:
            fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", 31, 100, 0, 0))
            os.execv(command[0], command)
        self.seen = self.whole = ""

    def read(self):
        ready, _, _ = select.select([self.master], [], [], 1)
        try:
            read = os.read(self.master, 4096).decode() if ready else ""
            self.seen += read
            self.whole += read
        except OSError:
            return False  # nobody has the other side open
        return True

    def expect(self, pattern):
        """Waits for a text that has not been waited for yet."""
        end = time.monotonic() + PATIENCE_SECONDS
        while time.monotonic() < end:
            found = re.search(pattern, self.seen)
            if found:
                self.seen = self.seen[found.end():]
                return found
            if not self.read():
                break
        raise AssertionError(f"no {pattern!r} in {self.seen[-500:]!r}")

    def type(self, keys):
        os.write(self.master, keys.encode())

    def hang_up(self):
        os.close(self.master)

    def status(self):
        """The exit status, or minus a signal's number."""
        while self.master >= 0 and self.read():
            if os.waitid(os.P_PID, self.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT):
                break
        return os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])


def descendants(pid):
    with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as file:
        children = [int(child) for child in file.read().split()]
    return children + [pid for child in children for pid in descendants(child)]


def is_stopped(pid):
    with open(f"/proc/{pid}/stat", encoding="utf-8") as file:
        return file.read().rpartition(")")[2].split()[0] == "T"


def record(*words):
    return Terminal(WAYMARK, "record", "-o", "tty.wmk", "--", PROGRAM, *words)


def expect_status(terminal, wanted):
    status = terminal.status()
    assert status == wanted, f"status {status} instead of {wanted}"


def expect_whole():
    result = subprocess.run([WAYMARK, "verify", "tty.wmk"], stdout=subprocess.PIPE,
                            stderr=subprocess.STDOUT, text=True, check=False)
    assert result.returncode == 0, result.stdout


def lines():
    """reads and writes lines, and sees their end"""
    terminal = record()
    terminal.expect("terminals 111, 31 rows\r\n")
    terminal.expect("ready")
    terminal.type("one\rtwo\r")
    terminal.expect("read one\r\n")
    terminal.expect("read two\r\n")
    terminal.type("\x04")
    expect_status(terminal, 6)


def caught():
    """Ctrl-C reaches a program that catches it"""
    terminal = record("catch")
    terminal.expect("ready")
    terminal.type("\x03")
    terminal.expect("caught")
    expect_status(terminal, 5)


def interrupted():
    """Ctrl-C ends a program that does not"""
    terminal = record()
    terminal.expect("ready")
    terminal.type("\x03")
    expect_status(terminal, -2)


def quitted():
    """Ctrl-\\ too"""
    terminal = record()
    terminal.expect("ready")
    terminal.type("\x1c")
    expect_status(terminal, -3)


def hung_up():
    """the terminal goes away"""
    terminal = record("wait")
    terminal.expect("ready")
    terminal.hang_up()
    _, status = os.waitpid(terminal.pid, 0)
    assert os.waitstatus_to_exitcode(status) == -1, f"status {status}"


def stopped():
    """Ctrl-Z stops it, fg and bg let it go on"""
    shell = Terminal("/bin/bash", "--norc", "--noprofile", "--noediting", "-i")

    def command(line):
        shell.type(f"{line}\r")
        shell.expect("\r\n")  # its echo

    def prompted():
        shell.expect("@@")

    def prompted_alone():
        """The shell sees its child stop; QEMU might still read what is typed next."""
        prompted()
        end = time.monotonic() + PATIENCE_SECONDS
        while not all(map(is_stopped, descendants(shell.pid))):
            assert time.monotonic() < end, "a process of the job does not stop"
            time.sleep(0.01)

    command("PS1=@'@ '")
    prompted()
    command(f"{WAYMARK} record -o tty.wmk -- {PROGRAM}")
    shell.expect("ready")
    shell.type("\x1a")
    shell.expect("Stopped")
    prompted_alone()
    command("fg")
    shell.expect("record -o")
    command("one")
    shell.expect("read one\r\n")
    shell.type("\x1a")
    shell.expect("Stopped")
    prompted_alone()
    command("bg")  # it reads, and so it stops again
    prompted()
    command("wait %1")
    prompted_alone()
    command("fg")
    shell.expect("record -o")
    command("two")
    shell.expect("read two\r\n")
    shell.type("\x04")
    prompted()
    command("echo status $?")
    shell.expect("status 6\r\n")
    prompted()
    command("exit")
    expect_status(shell, 0)


def progress():
    """a run longer than a second has a line of progress, which goes away"""
    os.environ["TERM"] = "xterm"
    terminal = Terminal(WAYMARK, "record", "-o", "tty.wmk", "--", ENDLESS, "spin")
    line = (r"\x1b\[\d+;1H\x1b\[mwaymark: (\d+) s, \d+\.\d M blocks/s, ([\d,]+) instructions, "
            r"[\d.,]+ [kMG]?B")
    seconds = insns = 0
    while seconds < 2:  # redrawn in place, with numbers that grow
        found = terminal.expect(line)
        now = int(found[2].replace(",", ""))
        assert int(found[1]) >= max(seconds, 1) and now >= insns, found[0]
        seconds, insns = int(found[1]), now
    terminal.type("\x03")
    terminal.expect(r"\x1b\[K\x1b8waymark: [\d,]+ instructions in [^\r\n]*, tty\.wmk\r\n")
    assert "M blocks/s" not in terminal.seen, terminal.seen
    expect_status(terminal, -2)


def dumb():
    """a terminal that obeys no control sequences gets none"""
    os.environ["TERM"] = "dumb"
    terminal = Terminal(WAYMARK, "record", "-o", "tty.wmk", "--", ENDLESS, "spin")
    seconds = 0
    while seconds < 2:
        status = subprocess.run([WAYMARK, "ctl", "tty.wmk", "status"], stdout=subprocess.PIPE,
                                stderr=subprocess.DEVNULL, text=True, check=False).stdout
        found = re.search(r"^time +([\d.]+) s$", status, re.M)
        seconds = float(found[1]) if found else 0
        time.sleep(0.05)
    terminal.type("\x03")
    terminal.expect(r"waymark: [\d,]+ instructions in [^\r\n]*, tty\.wmk\r\n")
    expect_status(terminal, -2)
    assert "\x1b" not in terminal.whole, terminal.whole


def main():
    failures = 0
    for test in (lines, caught, interrupted, quitted, hung_up, stopped, progress, dumb):
        try:
            if os.path.exists("tty.wmk"):
                os.unlink("tty.wmk")
            test()
            expect_whole()
            print(f"ok {test.__doc__}")
        except AssertionError as why:
            failures += 1
            print(f"not ok {test.__doc__}\n# {why}")
    return failures > 0


sys.exit(main())
