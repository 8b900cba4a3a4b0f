#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Accesses of memory in a trace made by hand (tests/unit/make_trace.c), which prints them: the
# list is these, and what is computed from them is what brute force computes.

# shellcheck source=tests/cli/common
. "$SRC/tests/cli/common"

{
	echo "insn,thread,address,size,kind,value"
	"$BUILD/tests/unit/make_trace" made.wmk values
} >made.csv
mem() { "$WAYMARK" mem made.wmk --format csv "$@" 2>remark; }

mem -f insn,thread,address,size,kind,value >list.csv
same "the list" made.csv list.csv
check "what is missing is said" grep -q \
	'^waymark: the accesses of [1-9][0-9]* of [0-9]* instructions are missing$' remark
mem --by page -f page,accesses,bytes,loads,stores,cache_lines,constant,strided,irregular >page.csv
mem --by function -f function,accesses,bytes,cache_lines,pages >function.csv
mem --by object -f object,accesses >object.csv
mem --by line -f file,line,accesses >line.csv
mem --working-set --interval 1000 >workset.csv
mem --reuse -f distance,accesses >reuse.csv
mem --watch 0x7000123,777 --by page -f accesses,bytes,loads,stores >watched.csv
mem --watch 0x7000123,777 -f insn,thread,address,size,kind,value >watch.csv
mem --thread 0 --from 100 --to 700 -f insn,thread,address,size,kind,value >part.csv
for j in 1 3; do
	mem -j $j --by page | cksum
	mem -j $j --reuse | cksum
	mem -j $j --working-set --interval 77 | cksum
done >sums
check "any number of threads" test "$(sort -u sums | wc -l)" -eq 3
for j in 1 3; do
	mem -j $j --watch 0x7000123,0x3000 --by page | cksum
done >sums
check "of what is watched, any number of threads" test "$(sort -u sums | wc -l)" -eq 1
"$PYTHON" "$SRC/tests/cli/mem/brute.py" "$WAYMARK" made.wmk

# ---- insns --values -------------------------------------------------------------------------
for thread in 0 1; do
	"$WAYMARK" insns made.wmk --values --format jsonl --thread $thread >insns.$thread
done
"$PYTHON" -c 'import json
print("insn,thread,address,size,kind,value")
for thread in range(2):
    for line in open("insns.%d" % thread):
        insn = json.loads(line)
        for a in insn.get("accesses", []):
            print(insn["ordinal"], thread, a["address"], a["size"], a["kind"], a["value"], sep=",")' >insns.csv
same "insns --values" made.csv insns.csv
"$WAYMARK" insns made.wmk --values --format csv --from 3000 -n 300 >some.csv
"$WAYMARK" insns made.wmk --values --from 3000 -n 300 --no-events >some.txt
"$PYTHON" -c 'import csv
from_csv, text = [], []
for row in csv.DictReader(open("some.csv")):
    from_csv.append((row["ordinal"], [tuple(a.split(":")) for a in row["accesses"].split()]))
for line in open("some.txt"):
    found = line.rstrip("\n").partition("  [")[2].rstrip("]").split(", ")
    words = [a.replace(" =", "").split() for a in found if a]
    text.append((line.split()[0], [tuple(w) for w in words]))
    if not line.split()[0].isdigit(): text.pop()
good = from_csv == text and len(text) == 300 and sum(len(a) for _, a in text) > 100
print("ok" if good else "not ok", "insns --values as csv and text")'
"$WAYMARK" insns made.wmk --format csv --from 3000 -n 300 >plain.csv
cut -d, -f1-2 plain.csv >plain.columns
cut -d, -f1-2 some.csv >some.columns
same "the same instructions" plain.columns some.columns
"$WAYMARK" insns made.wmk --values --format jsonl --interleave >both.jsonl
check "insns --values --interleave" test \
	"$(grep -o '"kind"' both.jsonl | wc -l)" -eq "$(($(wc -l <made.csv) - 1))"

# ---- what is refused ---------------------------------------------------------------------------
"$BUILD/tests/unit/make_trace" plain.wmk
refused "a trace without accesses" "*record it with waymark record --mem" "$WAYMARK" mem plain.wmk
refused "insns of a trace without accesses" "*record it with waymark record --mem, *" \
	"$WAYMARK" insns --values plain.wmk
refused "registers of a trace without them" "*no values of registers*--value or --commits" \
	"$WAYMARK" mem --registers made.wmk
refused_usage() {
	what=$1 pattern=$2
	shift 2
	run "$WAYMARK" "$@"
	check "$what" test "$status" -eq 2 -a ! -s stdout
	check "$what: why" grep -q "$pattern" stderr
}
refused_usage "two answers at once" "exclude each other" mem made.wmk --by page --reuse
refused_usage "an interval of nothing" "goes with --working-set" mem made.wmk --by page --interval 5
refused_usage "functions of working sets" "does not go with" mem made.wmk --working-set --function x
refused_usage "values of a format without" "goes with the formats" insns made.wmk --values --format qemu
refused_usage "a group that is none" "takes function" mem made.wmk --by thread
refused_usage "what is no variable" "neither an address nor a variable" mem made.wmk --watch nothing
refused_usage "a length that is none" "no length" mem made.wmk --watch 5,0
refused_usage "a place that is none" "no file of the run has a symbol" mem made.wmk --thread 0 --last-writer 5@x
refused_usage "an instruction of no thread" "of which thread" mem made.wmk --last-writer 5@9

# ---- text is limited -------------------------------------------------------------------------
"$WAYMARK" mem made.wmk -n 7 >seven 2>/dev/null
check "-n" test "$(wc -l <seven)" -eq 8
"$WAYMARK" info made.wmk >info
check "info" grep -q '^values  *of all accesses of memory, with data: [0-9.]* kB of the file$' info
"$WAYMARK" info made.wmk --format json >info.json
check "info as JSON" grep -q '"values": "all,data"' info.json
run "$WAYMARK" verify made.wmk
check "verify counts them" grep -q \
	" $("$PYTHON" -c 'print("{:,}".format(len(open("made.csv").readlines()) - 1))') values: " stdout
finish
