#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The recorder, and the commands that work with several threads, built with ThreadSanitizer. QEMU
# and the plugin have none: what they share with the recorder is memory of several processes, which
# it does not watch.

# shellcheck source=tests/cli/common
. "$(dirname "$0")/../cli/common"

# The sanitizer finds no room for its own memory where addresses are random.
unmoved() { setarch -R "$@"; }

build=$BUILD/races
[ -f "$build/build.ninja" ] ||
	meson setup "$build" "$SRC" -Db_sanitize=thread -Db_lundef=false >setup 2>&1 ||
	{ cat setup; exit 1; }
ninja -C "$build" waymark >log 2>&1 || { tail -n 50 log; exit 1; }
cp "$BUILD"/libwaymark-v*.so "$build"
export TSAN_OPTIONS="exitcode=66 log_path=$PWD/race"

# raceless NAME COMMAND...: it succeeds, and no two threads of it meet.
raceless() {
	name=$1
	shift
	run unmoved "$@"
	if [ "$status" -eq 0 ] && ! ls race.* >/dev/null 2>&1; then
		passed "$name"
	else
		failed "$name" "status $status" "$(head -n 5 stderr)" "$(cat race.* 2>/dev/null | head -n 40)"
	fi
	rm -f race.*
}

sysroot=$("$SRC/tests/sysroot.sh")
# record NAME FILE OPTION... -- WORKLOAD
record() {
	name=$1
	file=$2
	shift 2
	eval "raceless \"\$name\" \"\$build/waymark\" record -q -o \"\$file\" $*"
	check "$name: sound" "$WAYMARK" verify -q "$file"
}
record "recording" run.wmk -L "$sysroot" -- "$("$SRC/tests/workload.sh" cc1 check)"
record "recording accesses" mem.wmk --mem -L "$sysroot" -- "$("$SRC/tests/workload.sh" lua check)"
record "recording threads" threads.wmk "$GUESTS/threads/generations.O3"
record "recording processes" processes.wmk "$GUESTS/processes/tree.O3"

for question in "hot" "hot --by line" "calls" "cfg --loops --trips" "cover --by branch" "mix" "bpred" \
	"phases --interval 10000000" "annotate main" "report -o page.html" "diff run.wmk"; do
	# shellcheck disable=SC2086 # a list of words
	raceless "$question" "$build/waymark" $question -j 4 run.wmk
done
for question in "mem --by function" "mem --by page" "cache"; do
	# shellcheck disable=SC2086 # a list of words
	raceless "$question" "$build/waymark" $question -j 4 mem.wmk
done
raceless "calls of threads" "$build/waymark" calls -j 4 threads.wmk
finish
