#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# All threads of all processes in one listing: each thread's own lines are those it has
# alone, whole and in order; events are in the order of the clock; parts are parts.

# shellcheck source=tests/cli/common
. "$(dirname "$0")/../common"

"${CROSS_CC:-riscv64-linux-gnu-gcc}" -std=gnu17 -O2 -static -pthread -o threads \
	"$SRC/tests/cli/record/threads.c"
"$WAYMARK" record -o run.wmk -- ./threads >/dev/null
export WAYMARK

# facts NAME FUNCTION ARGUMENT...: of interleave_facts.py.
facts() {
	what=$1
	shift
	check "$what" "$PYTHON" "$SRC/tests/cli/listing/interleave_facts.py" "$@"
}

facts "csv: each thread's own lines" csv_each_thread_s_own_lines
facts "text: each thread's own lines, and comments" text_each_thread_s_own_lines_and_comment
facts "json lines: each thread's own, with its events" json_lines_each_thread_s_own_with_its_ev
facts "spike: by core" spike_by_core
facts "--process has the threads of one" process_has_the_threads_of_one
facts "parts are parts of the whole" parts_are_parts_of_the_whole

facts "parts of instructions" parts_of_instructions

run "$WAYMARK" insns run.wmk --interleave -n 1
check "stderr warns that the order is approximate" grep -q 'approximate' stderr
check "the listing warns, too" grep -q '^# .*approximate' stdout

# usage NAME PATTERN WORD...: exit status 2 and the sentence; argp adds a line of advice.
usage() {
	what=$1 pattern=$2
	shift 2
	run "$WAYMARK" "$@"
	check "$what" test "$status" -eq 2 -a ! -s stdout
	check "$what: says why" grep -qE "$pattern" stderr
}
usage "a format without threads" 'shows threads, and qemu does not' \
	insns run.wmk --interleave --format qemu
usage "a format without events" 'not csv' insns run.wmk --events --format csv
usage "an empty part" 'to is before --from' blocks run.wmk --from 5 --to 4
refused "beyond the end of the thread" '*there is no block*' \
	"$WAYMARK" blocks run.wmk --interleave --thread 1 --from 100000000
refused "a name of several" '*"threads" names threads 0, 1, *and * more; choose one by number' \
	"$WAYMARK" blocks run.wmk --thread threads
refused "a name of no thread" '*there is no thread called "nobody"*' \
	"$WAYMARK" blocks run.wmk --thread nobody
refused "not of that process" '*thread 0 is not of process 1' \
	"$WAYMARK" blocks run.wmk --thread 0 --process 1
refused "no number, pid or name" '*there is no process called "x"; there are threads*' "$WAYMARK" blocks run.wmk --process x
refused "a place of another thread" \
	'*--from main is not reached: thread 1 comes there 0 times; thread 0 reaches it*' \
	"$WAYMARK" insns run.wmk --thread 1 --from main
refused "a place of no thread" \
	'*--from main@9 is not reached: thread 0 comes there 1 time; no other thread reaches it either' \
	"$WAYMARK" insns run.wmk --from main@9
refused "a place of one thread, and all are asked" \
	'*main is a place in one thread, and * are selected: *; thread 0 reaches it' \
	"$WAYMARK" hot run.wmk --from main
finish
