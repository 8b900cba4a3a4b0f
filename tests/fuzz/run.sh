#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# run.sh - fuzz what reads things that others wrote.
#
# usage: tests/fuzz/run.sh [TARGET...]     BUILD names the build tree (build)
#
# Each fuzz_TARGET.c runs for FUZZ_SECONDS (8) on the seeds in corpus/TARGET, which are
# only read. To fuzz for longer, FUZZ_CORPUS=DIR keeps what is found in DIR/TARGET. An
# input that fails stays in the current directory, as crash-...; run it again with
#	BUILD/fuzz/fuzz_TARGET crash-...

set -eu

here=$(cd "$(dirname "$0")" && pwd)
src=$(dirname "$(dirname "$here")")
mkdir -p "${BUILD:=$src/build}/fuzz"
dir=$(cd "$BUILD/fuzz" && pwd)

if ! command -v clang >/dev/null; then
	echo "ok fuzzing # SKIP there is no clang"
	exit 0
fi

# Everything the targets need, as one archive; what has not changed is not built again.
flags="-std=gnu17 -g -O1 -D_GNU_SOURCE -DWAYMARK_VERSION=\"fuzz\" -I$src -I$src/include
	-I$here -DFUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION=1 -fno-sanitize-recover=undefined
	-MMD"
cat >"$dir/Makefile" <<END
SRC = $src
FLAGS = $(echo "$flags" | tr '\n\t' '  ' | sed 's/"/\\"/g')
SANITIZE = address,undefined
SOURCES = \$(wildcard \$(addprefix \$(SRC)/,base/*.c format/*.c isa/*.c trace/*.c collect/*.c))
OBJECTS = \$(patsubst \$(SRC)/%.c,%.o,\$(SOURCES))
TARGETS = \$(patsubst $here/%.c,%,\$(wildcard $here/fuzz_*.c))

all: \$(TARGETS)
fuzz_%: $here/fuzz_%.c core.a
	@clang \$(FLAGS) -MF \$@.d -fsanitize=fuzzer,\$(SANITIZE) -o \$@ \$< core.a -lzstd -lxxhash -lpthread
core.a: \$(OBJECTS)
	@rm -f \$@ && ar rcs \$@ \$^
\$(OBJECTS): %.o: \$(SRC)/%.c
	@mkdir -p \$(@D) && clang \$(FLAGS) -fsanitize=fuzzer-no-link,\$(SANITIZE) -c -o \$@ \$<
-include \$(OBJECTS:.o=.d) \$(addsuffix .d,\$(TARGETS))
END
make --no-print-directory -j2 -C "$dir" all >&2

[ $# -gt 0 ] || set -- codec messages qemulog reader
export TMPDIR=/dev/shm WAYMARK_FUZZ_TRACE="$src/tests/golden/v1.wmk"
export UBSAN_OPTIONS=print_stacktrace=1
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
failures=0
for target; do
	found=${FUZZ_CORPUS:-$scratch}/$target
	mkdir -p "$found"
	if "$dir/fuzz_$target" -max_total_time="${FUZZ_SECONDS:-8}" -timeout=600 -max_len=16384 \
		-rss_limit_mb=3000 "$found" "$here/corpus/$target" >"$scratch/log" 2>&1; then
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
