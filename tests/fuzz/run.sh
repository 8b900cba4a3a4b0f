#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# run.sh - fuzz what reads things that others wrote.
#
# usage: tests/fuzz/run.sh [TARGET...]     BUILD names the build tree (build)
#
# Each fuzz_TARGET.c runs for FUZZ_SECONDS (2) on the seeds in corpus/TARGET, which are
# only read. Inputs are drawn from FUZZ_SEED (1), so the same sources pass or fail alike; 0
# draws others each time, as tests/long/fuzz.sh does. To fuzz for longer, FUZZ_CORPUS=DIR
# keeps what is found in DIR/TARGET. An input that fails stays in the current directory, as
# crash-...; run it again with
#	BUILD/fuzz/fuzz_TARGET crash-...
# With FUZZ_COVERAGE=1 nothing is fuzzed: it prints how much of each file the seeds, and what
# FUZZ_CORPUS has, come to.

set -eu

here=$(cd "$(dirname "$0")" && pwd)
src=$(dirname "$(dirname "$here")")
coverage=${FUZZ_COVERAGE-}
mkdir -p "${BUILD:=$src/build}/fuzz$coverage"
dir=$(cd "$BUILD/fuzz$coverage" && pwd)

if ! command -v clang >/dev/null; then
	echo "ok fuzzing # SKIP there is no clang"
	exit 0
fi

# Everything the targets need, as one archive; what has not changed is not built again. Reports
# need no more of the debug information than lines (-g1).
flags="-std=gnu17 -g1 -O1 -D_GNU_SOURCE -DWAYMARK_VERSION=\"fuzz\" -I$src -I$src/include
	-I$here -fno-sanitize-recover=undefined
	-MMD -MP"
instruments=-fsanitize=address,undefined
[ -z "$coverage" ] || instruments="-fprofile-instr-generate -fcoverage-mapping"
cat >"$dir/Makefile" <<END
SRC = $src
FLAGS = $(echo "$flags" | tr '\n\t' '  ' | sed 's/"/\\"/g')
INSTRUMENTS = $instruments
SOURCES = \$(shell find \$(addprefix \$(SRC)/,analysis base collect cut events export format isa kernel managed out packets program query/state_file.c trace) -name '*.c' ! -path '*/analysis/diff/*')
OBJECTS = \$(patsubst \$(SRC)/%.c,%.o,\$(SOURCES))
TARGETS = \$(patsubst $here/%.c,%,\$(wildcard $here/fuzz_*.c))

all: \$(TARGETS)
fuzz_%: $here/fuzz_%.c core.a
	@clang \$(FLAGS) -MF \$@.d -fsanitize=fuzzer \$(INSTRUMENTS) -o \$@ \$< core.a -lsqlite3 -lelf -ldw -larchive -lext2fs -lcom_err -lz -llzma -lzstd -lxxhash -lcapstone -liberty -lm -lpthread
core.a: \$(OBJECTS)
	@rm -f \$@ && ar rcs \$@ \$^
\$(OBJECTS): %.o: \$(SRC)/%.c
	@mkdir -p \$(@D) && clang \$(FLAGS) -fsanitize=fuzzer-no-link \$(INSTRUMENTS) -c -o \$@ \$<
-include \$(OBJECTS:.o=.d) \$(addsuffix .d,\$(TARGETS))
END
make --no-print-directory -j2 -C "$dir" all >&2

[ $# -gt 0 ] || set -- analysis codec cover cut elf jitdump kallsyms lines messages packets pclog perf_map qemulog reader recover \
	requests simpletrace state_file states toml units values
# A log among the seeds is of this trace.
export TMPDIR=/dev/shm WAYMARK_FUZZ_TRACE="$here/corpus/reader/events"
export UBSAN_OPTIONS=print_stacktrace=1
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
failures=0

# fuzz TARGET OPTION...
fuzz() {
	target=$1
	shift
	found=${FUZZ_CORPUS:-$scratch}/$target
	mkdir -p "$found"
	seeds=$here/corpus/$target
	case $target in
	analysis | cut) seeds=$here/corpus/reader ;; # traces, too
	esac
	[ -d "$seeds" ] || seeds= # the target makes its own
	[ ! -f "$here/$target.dict" ] || set -- "$@" -dict="$here/$target.dict"
	"$dir/fuzz_$target" -timeout=600 -max_len=16384 -rss_limit_mb=3000 "$@" \
		"$found" ${seeds:+"$seeds"} >"$scratch/log" 2>&1
}

# How many of a file's lines were come to, and how many there are.
report() {
	llvm-profdata merge -o "$scratch/profile" "$scratch/raw"
	llvm-cov export -summary-only -instr-profile "$scratch/profile" "$dir/fuzz_$1" |
		"${PYTHON:-python3}" -c '
import json, sys
for file in json.load(sys.stdin)["data"][0]["files"]:
    lines, name = file["summary"]["lines"], file["filename"]
    if name.startswith(sys.argv[2]) and "/tests/" not in name and lines["covered"]:
        print("# %-10s %-28s %4d of %4d lines" % (sys.argv[1],
              name[len(sys.argv[2]) + 1:], lines["covered"], lines["count"]))' "$1" "$src"
}

for target; do
	if [ -n "$coverage" ]; then
		LLVM_PROFILE_FILE=$scratch/raw fuzz "$target" -runs=0
		report "$target"
	elif fuzz "$target" -max_total_time="${FUZZ_SECONDS:-2}" -seed="${FUZZ_SEED:-1}"; then
		echo "ok fuzz $target # $(sed -n 's/^Done \([0-9]* runs\).*/\1/p' "$scratch/log")"
	else
		echo "not ok fuzz $target"
		grep -v '^#[0-9]*	*\(NEW\|REDUCE\|pulse\)' "$scratch/log" | tail -n 80 | sed 's/^/# /'
		for input in crash-* timeout-* oom-* leak-*; do
			[ ! -f "$input" ] || { echo "# base64 of $input:"; base64 "$input" | sed 's/^/# /'; }
		done
		failures=1
	fi
done
exit $failures
