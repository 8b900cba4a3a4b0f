# SPDX-License-Identifier: GPL-2.0-or-later
"""What runner.sh cannot ask a shell.

csv FILE DIR       the rows of a benchmark of the guests in DIR
modules BENCH ELF  the runner's modules by themselves, ELF being a guest
"""

import csv
import os
import sys

ALWAYS = {"wall_s", "cpu_s", "peak_mib"}
OVER = {"wall_ratio", "cpu_ratio"}
SIZES = {"bytes", "bits_per_insn"}
RECORDED = {"wall_per_floor", "collector_mib", "instructions", "blocks"}
# What each mode tells, by part.
EXPECTED = {
    "programs": {
        "none": ALWAYS,
        "floor": ALWAYS | OVER,
        "waymark": ALWAYS | OVER | SIZES | RECORDED,
        "published": ALWAYS | OVER | SIZES | {"wall_per_floor"},
    },
    "codec": {"waymark": {"encode_ns", "decode_ns", "decode_all_ns", "info_s",
                          "cfg_minsns"}},
}
EXPECTED["peers"] = EXPECTED["programs"] | {
    "log": ALWAYS | OVER | SIZES | {"wall_per_floor"},
    "mine": ALWAYS | OVER | SIZES | {"wall_per_floor"},
    "broken": {"failed"},
}
TIMED = {"wall_s", "cpu_s", "wall_ratio", "cpu_ratio", "wall_per_floor"}
FACTS = ["machine", "cpu", "cores", "kernel", "qemu", "date", "rounds"]


def check_row(row):
    assert float(row["low"]) <= float(row["median"]) <= float(row["high"]), row
    assert int(row["n"]) >= 1 and row["x"] == "", row
    if row["part"] != "codec" and row["measure"] not in TIMED:
        assert row["n"] == "1", row
    if row["mode"] == "waymark" and row["measure"] in TIMED:
        assert row["n"] == "2", row


def check_csv(path, folder):
    with open(path, encoding="utf-8") as file:
        lines = file.read().splitlines()
    facts = [line for line in lines if line.startswith("# ")]
    assert [line[2:].split(": ", 1)[0] for line in facts] == FACTS, facts
    rows = list(csv.DictReader(lines[len(facts):]))
    assert list(rows[0]) == ["part", "guest", "mode", "x", "measure", "median", "low",
                             "high", "n"]
    found = {}
    for row in rows:
        check_row(row)
        key = (row["part"], row["guest"], row["mode"], row["measure"])
        assert key not in found, key
        found[key] = float(row["median"])
    wanted = {(part, guest, mode, measure) for part, modes in EXPECTED.items()
              for guest in ("tiny", "reader") for mode, measures in modes.items()
              for measure in measures}
    assert set(found) == wanted, set(found) ^ wanted
    assert found["peers", "tiny", "broken", "failed"] == 7
    said = f"{folder}/qsort.O3|short|"
    assert found["peers", "tiny", "mine", "bytes"] == len(said), said
    assert found["peers", "reader", "mine", "bytes"] == len(f"{folder}/echo.O3|")
    bits = found["programs", "tiny", "waymark", "bytes"] * 8 / \
        found["programs", "tiny", "waymark", "instructions"]
    assert abs(found["programs", "tiny", "waymark", "bits_per_insn"] / bits - 1) < 1e-6


def wrong_cases(elf):
    """(a file of cases, what is said of it after its name)"""
    elf = os.path.basename(elf)
    return [
        ("", ": there are no cases in it"),
        (f"a: {elf}\nb {elf}\n", ":2: this is not `NAME: "),
        (f"a/b: {elf}\n", ":1: this is not `NAME: "),
        (f"a: {elf}\n\na: {elf}\n", ":3: there are two of the name a"),
        ("a:\n", ":1: there is no program after the name"),
        ("a: # nothing\n", ":1: there is no program after the name"),
        (f"a: {elf} 'x\n", ":1: no closing quotation"),
        (f"a: {elf} <\n", ":1: after < there is to be one file"),
        (f"a: {elf} < cases more\n", ":1: after < there is to be one file"),
        (f"a: {elf} < nowhere\n", ":1: there is no file "),
        ("a: cases\n", "cases is no program of riscv64"),
        ("a: /proc/self/exe\n", "/proc/self/exe is no program of riscv64"),
        (f"a/short: {elf}\n", ": there is a/short, but no a"),
    ]


def check_cases(cases, elf):
    os.mkdir("wrong")
    os.symlink(elf, os.path.join("wrong", os.path.basename(elf)))
    for text, said in wrong_cases(elf):
        with open("wrong/cases", "w", encoding="utf-8") as file:
            file.write(text)
        try:
            cases.read("wrong/cases", "wrong")
        except cases.Malformed as error:
            assert str(error).startswith("wrong/cases") and said in str(error), error
        else:
            raise AssertionError(text)


def check_endings(measure):
    """A command that does not end, with what it started; and one that fills the disk."""
    script = "sleep 1000000 & echo $! >sleeper; wait"
    try:
        measure.cost_of(measure.Command(["setsid", "-w", "sh", "-c", script]), 1)
        raise AssertionError("it ended")
    except measure.TooLong:
        pass
    if os.path.exists("sleeper"):
        with open("sleeper", encoding="ascii") as file:
            pid = int(file.read())
        while os.path.exists(f"/proc/{pid}") and measure.peak_of(pid)[0]:
            pass
    measure.OUTPUT_MAX = 1 << 20
    try:
        measure.cost_of(measure.Command(
            ["sh", "-c", "exec head -c 2000000 /dev/zero >large"]), 1e6)
        raise AssertionError("it wrote 2 MB")
    except measure.Failed as failed:
        assert "a file of more than" in str(failed), failed


def check_cores(together):
    """Processors whose threads are neighbours, or far apart, or of which nobody knows."""
    os.mkdir("cores")
    for processor in range(8):
        with open(f"cores/near{processor}", "w", encoding="ascii") as file:
            first = processor - processor % 2
            file.write(f"{first}-{first + 1}\n")
        with open(f"cores/far{processor}", "w", encoding="ascii") as file:
            file.write(f"{processor % 4},{processor % 4 + 4}\n")
    for allowed, topology, wanted in (
            (range(8), "near", {7, 5}), (range(8), "far", {7, 6}),
            ((0, 1), "near", {0, 1}), ((1, 2, 3), "near", {1, 3}),
            (range(8), "nobody", {7, 6}), ((3,), "near", {3})):
        got = together.chosen(set(allowed), 2, f"cores/{topology}{{}}")
        assert got == wanted, (allowed, topology, got)


def check_modules(bench, elf):
    sys.path[:0] = [bench, os.path.join(bench, "parts")]
    import cases
    import measure
    import together
    check_cores(together)
    check_cases(cases, elf)
    check_endings(measure)


if __name__ == "__main__":
    {"csv": check_csv, "modules": check_modules}[sys.argv[1]](*sys.argv[2:])
