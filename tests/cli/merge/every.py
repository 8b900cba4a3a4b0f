# SPDX-License-Identifier: GPL-2.0-or-later
"""
usage: every.py WAYMARK LAUNCHER...	with TABLE=FILE: questions, of which each line ends in a trace

Asks each question by 1 and 2 threads, by 1, 2, 3 and 7 processes that LAUNCHER starts, which
ends in the command ("{}" is their number), and from 1 to 5 parts that are merged: the same
bytes, on stdout and stderr. Without ALL=1 each question has two of these numbers: 3, and one of
the others, in turn. A command, one of its options, a word of its --by, or one of its
formats that is not in the tables below is a failure, so that a new question is entered.
"""
import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

WAYMARK, LAUNCHER = sys.argv[1], sys.argv[2:]
RANKS, PARTS = ([int(n) for n in os.environ.get(name, default).split()]
                for name, default in (("RANKS", "1 2 3 7"), ("PARTS", "1 2 3 4 5")))
ALWAYS = 3

# By trace: the questions.
QUESTIONS = {
    "threads.wmk": """
hot
hot --format csv
hot --by function --from 1000 --to 20000
hot --by block --format json
hot --by line
hot --by loop
hot --by function --no-inline
hot --by method
hot --by trace
hot threads.wmk mem.wmk weave.wmk
hot --by block --format csv -n 50 weave.wmk mem.wmk
annotate main
annotate main --format csv --no-inline
calls
calls --graph --format csv
calls --tree
calls --tree -F main -D 3 -n 40
calls --tree -N *mutex* --format json
calls --methods
calls --tree --methods --format csv
calls --format folded
calls --format folded --methods
calls --format pprof --methods
calls --format callgrind --methods
calls --format chrome --methods
calls --format folded --against mem.wmk
calls --format pprof
calls --format chrome
calls --format chrome -n 50 --no-inline
calls --format speedscope -n 7
calls --format perfetto --from 1000 --to 20000
calls --format uftrace
calls --format callgrind
calls --by trace
calls weave.wmk mem.wmk
cover
cover --by total
cover --by module
cover --by source
cover --by function
cover --by line
cover --by branch
cover --by run
cover --format lcov
cover --format drcov
cover weave.wmk threads.wmk mem.wmk
cover --by run --branches mem.wmk weave.wmk
cover --by line --first weave.wmk mem.wmk mem.wmk
cover --format lcov mem.wmk weave.wmk
cover --by line --only-source *names*
mix
mix --by mnemonic --per function
mix --by class --format csv
mix --by extension --interval 1000
mix --by size
mix --by register
mix --by trace
mix --by mnemonic mem.wmk
cfg
cfg --loops --trips
cfg --format dot
cfg --format dot --hot 5
cfg --format llvm-profile
cfg --format autofdo
cfg --format bolt
cfg --format json
cfg --format llvm-profile-binary
cfg --by trace
cfg --loops mem.wmk
phases --thread 0 --interval 500
phases --thread 0 --interval 500 --by phase --format csv
phases --thread 0 --interval 500 --format json
phases --thread 0 --interval 500 --phases 3
phases --by trace --thread 0 --interval 500
phases --thread 0 --interval 5000 mem.wmk
phases --thread 0 --interval 500 --format bb
phases --thread 0 --interval 500 --format simpoints
phases --thread 0 --interval 500 --format weights
bpred
bpred --by function --format csv
bpred --by branch
bpred --by kind --predictor bimodal
bpred --by kind --btb entries=64 --returns 4
""",
    "mem.wmk": """
mem
mem -n 20000
mem --format csv
mem --function sum* -f insn,object,value
mem --watch 0x10000,4000 -n 3
mem --watch 0x10000,0x100000 --by line
mem --format din
mem --format lackey -n 1000
mem --format champsim
mem --format execmem --from 1000 --to 9000
mem --last-writer 0x10000
calls --format perfetto -n 30
calls --format callgrind --no-inline
mem --by function
mem --by line
mem --by object
mem --by page
mem --working-set
mem --working-set --interval 20000
mem --reuse
cache
cache --by function
cache --by line
cache --by object
cache --by level
cache --by interval --interval 5003 --format csv
cache --by trace
cache --by level --model u74
cache --by object weave.wmk
cache --by level --l1d 1k,2,32,through
cache --by level --l1d 1k,2,32 --l2 8k,4,64,plru --llc 16k,16,64,random,next-line
""",
    # The order of its threads matters to a last cache which they share.
    "weave.wmk": """
mem -n 30 --thread 1
mem --format csv --from 2000 --to 40000
mem --last-writer shared@0:27000
cache --by object --shared-llc
cache --by level --shared-llc
cache --by line --shared-llc --l1d 64,1,32 --l1i 64,1,32 --l2 none --llc 8k,4,64,plru
cache --interval 100000 --shared-llc --l1d 1k,2,32 --l2 2k,2,64 --llc 8k,4,64,lru,stride
cache --by level --shared-llc --l1d 1k,2,32,plru,stride --l2 2k,2,64 --llc 4k,4,64
cache --by level --shared-llc --from 5000 --to 400000 --l1d 1k,2,32,through --llc 4k,4,64
""",
    "values.wmk": """
mem --registers -n 500
mem --registers --format csv --function main
mem --format commits
mem --format riscvdv
mem --format stf
""",
}

# What fails does so in parts, with the same sentence.
FAILS = {
    "threads.wmk": """
boot
hot --by bytecode
hot --by source
mem --by object
mem --registers
""",
    "mem.wmk": """
mem --by method
mem --by source
cache --by method
cache --by source
""",
}
# Formats that need what these traces do not have; their answers are computed as others of the
# command: of cover lines of managed programs.
NEEDING = {"coverage-py", "jacoco"}
# Options that select what any question is about, that present the answer, or say how to compute it.
COMMON = set("""
after color fields format from full-names function hart help jobs mode no-pager output part pid
process quiet rows sort state symbols symfs syscall thread to usage version by
""".split())
# Options that need what these traces do not have: a kernel; methods, which are asked for in
# tests/cli/bytecodes/python.sh. And options that write files, which parts do not.
ELSEWHERE = {
    "cover": {"kernel", "lcov", "drcov", "coverage-py", "jacoco"},
    "cfg": {"method"},
    "cache": {"cachegrind"},
    "phases": {"simpoint"},
}
# Commands that take no --part; and what only the merge finds out.
OTHERS = """
insns -n 50
blocks -n 50 --format csv
events
marks
info --format json
sql select+count(*)+from+events
plot hot
diff threads.wmk
verify
cover nothing.wmk
hot nothing.wmk
annotate nothing
cfg --function nothing
"""

# All commands without --part: what lists in the order of the run, which --from and --to cut; what
# shows many answers; what reads, writes or makes a file; what is about no file.
WITHOUT = set("""
insns blocks events marks bytecodes browse diff
report plot sql suite
info verify cut recover export import packets merge
record ctl top doctor setup-qemu help
""".split())

failures = []


def run(words, env=None):
    done = subprocess.run(words, capture_output=True, stdin=subprocess.DEVNULL,
                          env=dict(os.environ, **(env or {})), check=False)
    return done.returncode, done.stdout, done.stderr


def launch(ranks, words):
    mpirun = LAUNCHER[0] == "mpirun"
    status, out, err = run(
        [word.replace("{}", str(ranks)) for word in LAUNCHER] + words[1:],
        None if mpirun else {"OMPI_COMM_WORLD_SIZE": str(ranks),
                             "OMPI_COMM_WORLD_RANK": "0"})
    # Of a job that failed mpirun has something to say as well, and nobody else when it could not
    # start one.
    if mpirun and status:
        err = b"".join(line for line in err.splitlines(True)
                       if line.startswith(b"waymark")) or err
    return status, out, err


def fail(what, one, other):
    def text(of):
        return f"status {of[0]}, {of[1][:200]!r}, {of[2][:300]!r}"
    failures.append(f"{what}: {text(one)} instead of {text(other)}")


def some(numbers, turn):
    """All of the numbers, or ALWAYS and the one of the others whose turn it is."""
    if "ALL" in os.environ or len(numbers) < 3:
        return numbers
    others = [number for number in numbers if number != ALWAYS]
    return [ALWAYS, others[turn % len(others)]]


def ask(question, number, parts):
    words = [WAYMARK, *(word.replace("+", " ") for word in question.split())]
    wanted = run(words + ["-j", "1"] if parts is not None else words)
    if parts is not None:
        other = run(words + ["-j", "2"])
        if other != wanted:
            fail(f"{question} with 2 threads", other, wanted)
    for ranks in some(RANKS, number):
        other = launch(ranks, words)
        if other != wanted:
            fail(f"{question} by {ranks} processes", other, wanted)
    return words, wanted, number


def check_parts(words, wanted, number):
    question = " ".join(words[1:])
    if wanted[0] or not wanted[1]:
        fail(question, wanted, (0, b"an answer", b""))
    for parts in some(PARTS, number):
        files = [f"{number}.{part}.wms" for part in range(1, parts + 1)]
        for part, file in enumerate(files, 1):
            done = run([*words, "--part", f"{part}/{parts}", "--state", file,
                        "-j", str(1 + part % 2)])
            # What is said of the answer is said by whoever has it.
            if done[:2] != (0, b"") or done[2] not in (b"", wanted[2]):
                fail(f"{question} part {part}/{parts}", done, (0, b"", b""))
        merged = run([WAYMARK, "merge", *reversed(files)])
        if merged != wanted:
            fail(f"{question} from {parts} parts", merged, wanted)
        for file in files:
            if os.path.exists(file):
                os.remove(file)


def check_fails(words, wanted):
    done = run([*words, "--part", "1/2", "--state", "no.wms"])
    if not wanted[0] or wanted[1] or done != wanted:
        fail(f"{' '.join(words[1:])} in parts", done, wanted)


def lines(text):
    return [line for line in text.splitlines() if line]


def check_one(job):
    question, number, kind = job
    words, wanted, number = ask(question, number, None if kind == "other" else kind)
    if kind == "parts":
        check_parts(words, wanted, number)
    elif kind == "fails":
        check_fails(words, wanted)


def check_table():
    """Each command that takes --part, each word of its --by, and each format, is in the table."""
    rows = [line for table in (QUESTIONS, FAILS) for text in table.values()
            for line in lines(text)]
    commands = [line.split()[0] for line in run([WAYMARK, "help"])[1].decode().splitlines()
                if re.match(r"  [a-z-]+ ", line)]
    if len(commands) < 20:
        failures.append(f"commands are {commands}")
    for command in commands:
        parts = "--part=" in run([WAYMARK, command, "--help"])[1].decode()
        if parts == (command in WITHOUT):
            failures.append(f"{command} is {'' if parts else 'not '}answered in parts")
        if not parts:
            continue
        if not any(row.split()[0] == command for row in rows):
            failures.append(f"{command} is not in the table")
        for short, name in re.findall(r"^ +(?:(-.), |)--([a-z0-9-]+)",
                                      run([WAYMARK, command, "--help"])[1].decode(), re.M):
            if name not in COMMON | ELSEWHERE.get(command, set()) and not any(
                    row.split()[0] == command and
                    {f"--{name}", short or "--"} & set(row.split()) for row in rows):
                failures.append(f"{command} --{name} is not in the table")
        words = re.search("--by takes (.*), not", run(
            [WAYMARK, command, "--by", "?"])[2].decode())
        for word in re.findall(r"[a-z]+", words[1].replace(" or ", " ") if words else ""):
            if not any(row.startswith(command + " ") and f"--by {word}" in row
                       for row in rows):
                failures.append(f"{command} --by {word} is not in the table")
        for name in run([WAYMARK, "export", f"--list={command}"])[1].decode().split():
            if name not in NEEDING and not any(
                    row.startswith(command + " ") and f"--format {name}" in row
                    for row in rows):
                failures.append(f"{command} --format {name} is not in the table")


def all_jobs():
    jobs = []
    for kind, table in (("parts", QUESTIONS), ("fails", FAILS)):
        for trace, text in table.items():
            jobs += [(f"{line} {trace}", kind) for line in lines(text)]
    jobs += [(f"{line.split()[0]} threads.wmk {' '.join(line.split()[1:])}"
              if line.startswith(("sql", "diff")) else
              f"{line} threads.wmk", "other") for line in lines(OTHERS)]
    return jobs


def main():
    if "TABLE" in os.environ:
        with open(os.environ["TABLE"], encoding="ascii") as table:
            jobs = [(line, "parts") for line in lines(table.read())]
    else:
        check_table()
        jobs = all_jobs()
    only = os.environ.get("ONLY")
    with ThreadPoolExecutor(2) as pool:
        list(pool.map(check_one, [(question, number, kind) for number, (question, kind)
                                  in enumerate(jobs) if not only or only in question]))
    for failure in failures:
        print(f"not ok {failure}")
    if not failures:
        print(f"ok {len(jobs)} questions, by threads, processes and parts")


main()
