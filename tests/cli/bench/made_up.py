# SPDX-License-Identifier: GPL-2.0-or-later
"""A benchmark's CSV with figures that nobody measured, for tests of how it is told.

usage: made_up.py > CSV

All that there can be, and chosen so that results are known by hand: means (guests' ratios
are a geometric series), fits (length is linear), what threads add.
"""

PROGRAMS = ["busybox-awk", "lua", "sqlite", "python", "cc1", "fft", "isort", "mix"]
# Mode: time over no tracing, bits per instruction, MiB; of the guest in the middle.
MODES = {"none": (1, 0, 20), "floor": (1.1, 0, 22), "waymark": (1.2, 0.006, 110),
         "published": (2.2, 1.2, 1400), "drcov": (1.15, 0.0002, 24),
         "howvec": (1.6, 0.00001, 23), "hotblocks": (1.5, 0.00001, 24),
         "bbv": (1.7, 0.002, 25), "cflow": (9, 0.0005, 40), "execlog": (160, 190, 24),
         "log-null": (60, 0, 22), "log": (110, 75, 22), "my-spike": (14, 60, 700)}
MINSNS = 2000
SPREAD = 0.02


def row(part, guest, mode, x, measure, median, n=5):
    low, high = (median * (1 - SPREAD), median * (1 + SPREAD)) if n > 1 else (median,) * 2
    print(f"{part},{guest},{mode},{x},{measure},{median:.10g},{low:.10g},{high:.10g},{n}")


def factor(at):
    """From 1/2 to 2, with the geometric mean 1 over all programs."""
    return 4 ** (at / (len(PROGRAMS) - 1) - 0.5)


def timed(part, guest, mode, base, ratio, x=""):
    row(part, guest, mode, x, "wall_s", base * ratio)
    row(part, guest, mode, x, "cpu_s", base * ratio * 0.99)
    if mode != "none":
        row(part, guest, mode, x, "wall_ratio", ratio)
        row(part, guest, mode, x, "cpu_ratio", ratio * 1.1)


def sized(part, guest, mode, bits, minsns, x=""):
    row(part, guest, mode, x, "bytes", bits * minsns * 1e6 / 8, 1)
    row(part, guest, mode, x, "bits_per_insn", bits, 1)
    row(part, guest, mode, x, "instructions", minsns * 1e6, 1)
    row(part, guest, mode, x, "blocks", minsns * 1e6 / 5, 1)


def beside(part, modes, seconds):
    for at, guest in enumerate(PROGRAMS):
        for mode in modes:
            ratio, bits, mib = MODES[mode]
            slower = 1 + (ratio - 1) * factor(at)
            timed(part, guest, mode, seconds * factor(at), slower)
            row(part, guest, mode, "", "peak_mib", mib * factor(at), 1)
            if bits:
                sized(part, guest, mode, bits * factor(at), MINSNS * seconds)


def ended():
    """A tracer that was too slow for one guest, failed for another, and ran no other."""
    row("peers", "mix", "my-gem5", "", "killed_s", 60, 1)
    row("peers", "lua", "my-gem5", "", "failed", 7, 1)


def codec():
    for at, guest in enumerate(PROGRAMS):
        row("programs", guest, "waymark", "", "wall_per_floor", 1.2 / 1.1)
        row("programs", guest, "waymark", "", "info_s", 0.01)
        row("programs", guest, "waymark", "", "collector_mib", 80 * factor(at), 1)
        row("codec", guest, "waymark", "", "encode_ns", 0.8 * factor(at))
        row("codec", guest, "waymark", "", "decode_ns", 2 * factor(at))
        row("codec", guest, "waymark", "", "decode_all_ns", 3 * factor(at))
        row("codec", guest, "waymark", "", "cfg_minsns", 900 * factor(at))
    row("codec", "busybox", "waymark", "", "start_ms", 18)
    row("codec", "cc1", "waymark", "", "translation_us", 0.4)


def length():
    """Seconds: 0.25 and 1.5 (none), 1.8 (waymark) for each 10^9 instructions."""
    for x in (10 ** 7, 10 ** 8, 10 ** 9, 10 ** 10):
        for mode, slope, written in (("none", 1.5, None), ("floor", 1.6, None),
                                     ("waymark", 1.8, 40000), ("published", 3.3, 1.5e8),
                                     ("log", 160, 1e10)):
            if mode == "log" and x > 10 ** 8:
                continue
            row("length", "mix", mode, x, "wall_s", 0.25 + slope * x / 1e9)
            if written:
                row("length", "mix", mode, x, "bytes", 20000 + written * x / 1e9, 1)


def threads():
    """Recording adds 2 ns to each block, and 70 MiB and 10 more for each thread."""
    for x in (1, 2, 4):
        for mode, cpu in (("none", 4.0), ("floor", 4.4), ("waymark", 6.0)):
            row("threads", "threads", mode, x, "wall_s", cpu / min(x, 2))
            row("threads", "threads", mode, x, "cpu_s", cpu)
            row("threads", "threads", mode, x, "peak_mib",
                20 + 4 * x + (60 + 10 * x) * (mode == "waymark"), 1)
            if mode != "none":
                row("threads", "threads", mode, x, "wall_ratio", cpu / 4 * (1 + x / 10))
                row("threads", "threads", mode, x, "cpu_ratio", cpu / 4)
        row("threads", "threads", "waymark", x, "blocks", 1e9, 1)


def windows():
    for guest in ("fft", "isort"):
        for mode, cpu in (("none", 1), ("floor", 1.25), ("waiting", 1.3),
                          ("closed", 1.02)):
            row("windows", guest, mode, "", "cpu_s", cpu)
            if mode != "none":
                row("windows", guest, mode, "", "cpu_ratio", cpu)


def values():
    """Accesses double the time, data double it again; 16 bits of data."""
    for guest in ("lua", "cc1"):
        for mode, ratio, bits in (("none", 1, 0), ("mem", 2, 0.2), ("mem-data", 4, 16.2)):
            timed("values", guest, mode, 2, ratio)
            if bits:
                row("values", guest, mode, "", "accesses", 5e8, 1)
                row("values", guest, mode, "", "bits_per_access", bits, 1)
        row("values", guest, "mem", "", "plugin_cpu_ratio", 1.5, 3)
        row("values", guest, "mem", "", "cache_mreferences", 50 if guest == "lua" else 45, 3)
        row("values", guest, "mem", "", "encode_maccesses", 260 if guest == "lua" else 130, 3)
        row("values", guest, "mem", "", "decode_maccesses", 70, 3)


def main():
    print("# machine: made up\n# cores: 2\n# date: 2026-01-01\n# rounds: 5")
    print("part,guest,mode,x,measure,median,low,high,n")
    beside("programs", ["none", "floor", "waymark", "published"], 2)
    beside("peers", list(MODES), 0.1)
    beside("onecore", ["none", "floor", "waymark"], 2)
    beside("together", ["none", "floor", "waymark"], 2)
    ended()
    codec()
    length()
    threads()
    windows()
    values()


if __name__ == "__main__":
    main()
