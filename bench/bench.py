# SPDX-License-Identifier: GPL-2.0-or-later
"""What recording costs beside other ways to trace, and what it gives.

Guest programs run without tracing, with the floor plugin (bench/floor.c), with Waymark,
and with its peers, one after the other and round again (bench/rounds.py). bench/parts/
has what is run and measured, bench/report.py what is made of it.
"""

import argparse
import os
import re
import signal
import sys
import tempfile
import time

import cases
import guests
import machine
import measure
import parts
import report
import rounds
import rows
import ways

PLUGIN_API = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tests",
                          "plugin-api.sh")
QUICK_GUESTS = ["lua", "cc1", "stencil"]
FEW_ROUNDS = 3  # where there is much to run, and in quick


class Bench:
    """What all parts need: guests, ways to run them, and a place for what they write."""

    def __init__(self, setup, scratch):
        self.setup, self.scratch = setup, scratch
        self.ways = ways.all_of(setup)
        ours = QUICK_GUESTS if setup.quick else None
        self.guests = guests.chosen(setup.build, setup.guest_dir, setup.only, ours)

    @staticmethod
    def say(text):
        print(f"bench: {text}", file=sys.stderr, flush=True)

    def wants(self, name):
        """Whether a guest that only one part has is to run."""
        return not self.setup.only or name in self.setup.only

    def few(self, names):
        """The guests of these names and the user's; all, when none of them is to run."""
        return [guest for guest in self.guests
                if guest.users or guest.name in names] or self.guests

    def some(self, *names):
        return [self.ways[name] for name in names if name in self.ways]

    def compare(self, title, guest, compared, count, keep=None):
        """Runs a guest's rounds, and says how it went."""
        done = rounds.Rounds(self, title, guest, compared, keep).measure(count)
        self.say(f"{title}: {done.told()}")
        return done

    def place_of(self, guest):
        """Where a guest's recording is kept."""
        return os.path.join(self.scratch, f"{guest.name}.wmk")

    def trace_of(self, guest):
        """A recording of the guest at full length; None when it takes too long."""
        path = self.place_of(guest)
        if not os.path.exists(path):
            recorded = self.some("waymark")
            rounds.Rounds(self, guest.name, guest.full, recorded,
                          {"waymark": path}).measure(0)
        return path if os.path.exists(path) else None


def words_of(text):
    return [word for word in text.split(",") if word]


def arguments():
    parser = argparse.ArgumentParser(
        prog="bench/run.sh BUILDDIR", description="Measure what recording costs.",
        epilog="guest-dir: " + cases.__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", required=True, help=argparse.SUPPRESS)
    parser.add_argument("--sysroot", required=True, help=argparse.SUPPRESS)
    parser.add_argument("--qemu", default="qemu-riscv64", help="the emulator")
    parser.add_argument("--quick", action="store_true", help="some of it: 2 minutes")
    parser.add_argument("--rounds", type=int, metavar="N", help="rounds (5; quick: 2)")
    parser.add_argument("--only", type=words_of, metavar="GUESTS",
                        help="only these guests: names with commas between")
    parser.add_argument("--parts", type=words_of, metavar="PARTS",
                        help=f"only these parts, of {', '.join(parts.ALL)}")
    parser.add_argument("--modes", type=words_of, metavar="MODES",
                        help=f"besides {', '.join(ways.ALWAYS)} only these modes")
    parser.add_argument("--guest-dir", metavar="DIR",
                        help="guests of yours, too: executables, and a file `cases`")
    parser.add_argument("--peer", action="append", default=[], metavar="NAME=COMMAND",
                        help="a tracer of yours, too: {} stands for the guest's command, "
                             "{out} for a folder that its output is counted in")
    parser.add_argument("--out", metavar="DIR",
                        help="where bench.csv and what is made of it go (BUILDDIR)")
    parser.add_argument("--limit", type=float, default=60, metavar="SECONDS",
                        help="what a run may take before it is killed (60)")
    return parser, parser.parse_args()


def checked():
    parser, setup = arguments()
    for part in setup.parts or ():
        if part not in parts.ALL:
            parser.error(f"there is no part {part}; there are {', '.join(parts.ALL)}")
    if setup.rounds is not None and setup.rounds < 1 or not setup.limit > 0:
        parser.error("rounds and seconds are numbers above 0")
    setup.out = os.path.abspath(setup.out or setup.build)
    setup.parts = setup.parts or (parts.QUICK if setup.quick else list(parts.ALL))
    setup.rounds = setup.rounds or (2 if setup.quick else 5)
    setup.few_rounds = min(setup.rounds, FEW_ROUNDS)
    setup.api = measure.output_of([PLUGIN_API, setup.qemu]).strip()
    told = measure.output_of([setup.qemu, "--version"])
    setup.version = re.search(r"version ([0-9.]+)", told)[1]
    return setup


def run(setup, scratch):
    bench = Bench(setup, scratch)
    begin = time.monotonic()
    facts = machine.facts(setup)
    path = os.path.join(setup.out, "bench.csv")
    measured = []
    for part in setup.parts:
        since = time.monotonic()
        measured += parts.ALL[part].rows_of(bench)
        bench.say(f"{part}: {time.monotonic() - since:.0f} s")
        # What is measured stays when a later part fails.
        if measured:
            rows.write(path, facts, measured)
    if not measured:
        sys.exit("bench: of these parts and guests there is nothing to measure")
    report.report(path, setup.out)
    print(f"\n{path}; {time.monotonic() - begin:.0f} s in all")


def main():
    setup = checked()
    os.makedirs(setup.out, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="bench-", dir=setup.out) as scratch:
        run(setup, scratch)


if __name__ == "__main__":
    for number in (signal.SIGTERM, signal.SIGHUP):  # so that files go
        signal.signal(number, lambda number, _: sys.exit(128 + number))
    try:
        main()
    except (measure.Failed, measure.TooLong) as failed:
        sys.exit(f"bench: {failed}")
    except cases.Malformed as wrong:
        print(f"bench: {wrong}", file=sys.stderr)
        sys.exit(2)
    except KeyboardInterrupt:
        sys.exit(130)
