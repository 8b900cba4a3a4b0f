#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# sanitize.sh - the unit tests, and whole recordings, built so that faults show: with
# AddressSanitizer and UndefinedBehaviorSanitizer, and with buffers so small that they are
# full, wrap and are flushed all the time.
#
# Reports need no more of the debug information than lines (-g1); all of it takes the compiler a
# third of its time here.
#
# The sources are copied to BUILD/sanitize/src, where the constants are made small; the
# plugin alone is built without sanitizers, for QEMU has none.

# shellcheck source=tests/differential/common
. "$(dirname "$0")/differential/common"

: "${BUILD:?run me through tests/run.sh}" "${GUESTS:?}"
top=$BUILD/sanitize
src=$top/src
build=$top/build

# copy FILE: to the copied tree, unless it is there as it should be.
copy() {
	mkdir -p "$src/$(dirname "$1")"
	cmp -s "$SRC/$1" "$src/$1" || cp "$SRC/$1" "$src/$1"
}

# small FILE CONSTANT VALUE...: the file with these constants; they must be there.
small() {
	file=$1
	mkdir -p "$src/$(dirname "$file")"
	cp "$SRC/$file" "$top/small"
	shift
	while [ $# -ge 2 ]; do
		grep -Eq "(#define $1 |\\b$1 = )" "$top/small" || {
			failed "small buffers" "there is no $1 in $file any more"
			exit 1
		}
		sed -Ei "s|(#define $1[ 	]+)[^/]*|\\1$2 |; s|(\\b$1 = )[^,;}]*|\\1$2|" "$top/small"
		shift 2
	done
	cmp -s "$top/small" "$src/$file" || cp "$top/small" "$src/$file"
}

mkdir -p "$src"
(
	cd "$SRC" || exit
	for place in meson.build meson_options.txt include $(tests/layers.sh --folders) completion python \
		docs tools tests/meson.build tests/run.sh tests/unit tests/golden tests/fuzz/states.h; do
		[ ! -e "$place" ] || find "$place" -type f ! -name '*.pyc'
	done
) >"$top/files"
while read -r file; do
	case $file in
	format/arena.h)
		small "$file" LANE_LARGE_IDS '(1u << 13)' LANE_SMALL_IDS '(1u << 12)' \
			LANE_SEGMENT '(1u << 10)' LANES_LARGE 2 MESSAGE_RING_BYTES '(72u << 10)'
		;;
	analysis/calls/callstack.h) small "$file" CALLSTACK_DEPTH '1 << 16' ;;
	analysis/calls/callstack_aside.c) small "$file" ASIDES_MAX 4 FRAMES_MAX 200 ;;
	format/codec.h) small "$file" CODEC_MISSES_MAX '(1u << 14)' ;;
	collect/stream.h) small "$file" STREAM_CHUNK_BLOCKS '5000u' ;;
	collect/definitions.c) small "$file" GATHER_BYTES '(1u << 9)' ;;
	format/survey.c) small "$file" WINDOW 64 ;;
	trace/salvage-fill.c) small "$file" BLANKS_MAX 2 ;;
	base/spool.c) small "$file" SPOOL_BYTES 4096 ;;
	trace/logspool.h) small "$file" LOGSPOOL_RUN 64 ;;
	*) copy "$file" ;;
	esac
done <"$top/files"

[ -f "$build/build.ninja" ] ||
	meson setup "$build" "$src" --optimization 1 -Db_lundef=false \
		-Db_sanitize=address,undefined -Dc_args=-g1 >"$top/setup" 2>&1 ||
	{ cat "$top/setup"; exit 1; }
tests=$(ninja -C "$build" -t targets all | sed -n 's|^\(tests/unit/test_[a-z0-9_]*\): .*|\1|p')
# shellcheck disable=SC2086 # a list of words
ninja -C "$build" waymark tests/unit/make_trace $tests >"$top/log" 2>&1 || { tail -n 50 "$top/log"; exit 1; }

# Freed memory stays poisoned until there is more than 16 MiB of it: with 256, as without these
# options, tests take a third longer, to touch it all.
export ASAN_OPTIONS=detect_leaks=1:malloc_context_size=10:quarantine_size_mb=16
export UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1

for test in $tests; do
	if BUILD=$build "$build/$test" >out 2>err; then
		passed "sanitized $(basename "$test")" "$(grep -c '^ok' out) tests"
	else
		failed "sanitized $(basename "$test")" "$(cat out err)"
	fi
done

# ---- recordings: the collector, the reader and verify, with small buffers ----

shared=$(sed -n '/^plugin_shared = files(/,/)/p' "$src/meson.build" |
	grep -o "'[^']*[.]c'" | tr -d "'" | sed "s|^|$src/|")
# shellcheck disable=SC2046,SC2086 # lists of words
for plugin in $(ninja -C "$build" -t targets all | sed -n 's|^\(libwaymark-v[0-9]*.so\): .*|\1|p'); do
	api=${plugin#libwaymark-v}
	gcc -std=gnu17 -O1 -g -D_GNU_SOURCE -I"$src" -I"$src/include" -shared -fPIC \
		-fvisibility=hidden -DWAYMARK_VERSION='"sanitized"' \
		-DQEMU_PLUGIN_API="${api%.so}" -o "$build/$plugin" \
		$(find "$src/plugin" "$src/isa" -name '*.c') $shared
done
"${CROSS_CC:-riscv64-linux-gnu-gcc}" -O2 -march=rv64gc -nostdlib -static -ffreestanding \
	-fno-stack-protector -o threads "$SRC/tests/golden/guest.c"

WAYMARK=$build/waymark
for program in ./threads "$GUESTS"/status.dyn "$GUESTS"/deep.O0 "$GUESTS"/jit.O0 \
	"$GUESTS"/signal.nc "$GUESTS"/switch.O3 "$GUESTS"/manycalls.O3 \
	"$GUESTS"/marks.O3; do
	name="sanitized recording of $(basename "$program")"
	if traced -L /usr/riscv64-linux-gnu -- "$program" && ! grep -q Sanitizer err; then
		passed "$name" "$(tail -n 1 verdict)"
	else
		failed "$name" "$why $(cat err verdict)"
	fi
done

# ---- questions: every analysis of a recording in many small chunks -----------

"$WAYMARK" record -o run.wmk "$GUESTS/signal.O3" >/dev/null || true
for question in "hot -b function" "hot -b block" "hot -b line" "hot -b loop" \
	"annotate main" "cover --branches" "mix --by mnemonic" "mix --by register" \
	"mix --per interval --interval 1000" "cfg --format json" "cfg --loops --trips" \
	"phases --interval 1000" "calls" "calls --graph" "calls --tree" \
	"report --html page.html" "diff run.wmk"; do
	status=0
	# shellcheck disable=SC2086 # a list of words
	"$WAYMARK" $question run.wmk -j 3 >out 2>err || status=$?
	if [ "$status" -eq 0 ] && ! grep -q Sanitizer err; then
		passed "sanitized: $question" "$(wc -l <out) lines"
	else
		failed "sanitized: $question" "status $status" "$(cat err)"
	fi
done

"$WAYMARK" record -o marks.wmk "$GUESTS/marks.O3" >/dev/null
for question in "marks" "marks --format json" "marks --summary"; do
	status=0
	# shellcheck disable=SC2086 # a list of words
	"$WAYMARK" $question marks.wmk >out 2>err || status=$?
	if [ "$status" -eq 0 ] && ! grep -q Sanitizer err; then
		passed "sanitized: $question" "$(wc -l <out) lines"
	else
		failed "sanitized: $question" "status $status" "$(cat err)"
	fi
done

# ---- a record that becomes a trace -------------------------------------------

"$WAYMARK" insns --format spike marks.wmk >spike.log
if "$WAYMARK" import -o imported.wmk spike spike.log 2>err && ! grep -q "runtime error\|Sanitizer" err; then
	passed "sanitized: import spike" "$(wc -l <spike.log) lines"
else
	failed "sanitized: import spike" "$(cat err)"
fi

# ---- listings ----------------------------------------------------------------

export WAYMARK
for test in events/made listing/gaps; do
	if BUILD=$build "$SRC/tests/cli/$test.sh" >out 2>err &&
		cmp -s out "$SRC/tests/cli/$test.expected"; then
		passed "sanitized $test" "as it is otherwise"
	else
		failed "sanitized $test" "$(diff "$SRC/tests/cli/$test.expected" out | head -n 20)"
	fi
done
exit $((failures > 0))
