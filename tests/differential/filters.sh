#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Filters let through what they name, to the instruction: against the witness, which sees
# all of the same run.

# shellcheck source=tests/differential/common
. "$(dirname "$0")/common"
# shellcheck source=tests/witness/common
. "$SRC/tests/witness/common"
# shellcheck source=tests/differential/cuts
. "$SRC/tests/differential/cuts"

# ---- code --------------------------------------------------------------------

held "a function" "$calls.O3" :: --only f :: --only f
held "two functions" "$calls.O3" :: --only f --only main :: --only f --only main
held "a pattern" "$calls.O3" :: --only 'do_m?rks' --only 'main*' :: --only do_marks --only main
held "a function of a file" "$calls.O3" :: --only 'calls.*:g' :: --only g
held "all but a function" "$calls.O3" :: --except f :: --except f
held "both" "$calls.O3" :: --only '[fg]' --except g :: --only f
held "addresses" "$calls.O3" :: --only "address:$(address write_done)..$(address mark_end)" \
	--only "address:$(address g)..$(address f)" :: --only write_done-mark_end --only g-f
held "all but addresses" "$calls.O3" :: --except "address:$(address g)..$(address f)" :: \
	--except g-f
held "each instruction a block" "$calls.O3" :: --precise --only g :: --only g
held "in a window" "$calls.O3" :: --only g --window f@100..f@500 :: --only g \
	--window f@100..f@500
held "so many" "$calls.O3" :: --only g --max-insns 100 :: --only g --max-insns 100 --insns 100
held "a child" "$calls.O3" fork :: --only f :: --only f
held "threads" "$calls.O3" threads :: --only g :: --only g
held "a function called back" "$calls.dyn" :: --only by_value :: --only by_value
held "the program" "$calls.dyn" :: --user-code :: --program
held "a static program" "$calls.O3" :: --user-code :: --program
held "the program in threads" "$calls.dyn" threads :: --user-code :: --program
held "the program but a function" "$calls.dyn" :: --user-code --except g :: --program --except g
held "a file" "$calls.dyn" :: --only 'module:calls*' :: --program
held "all but files" "$calls.dyn" :: --except 'module:lib*' --except 'module:ld*' :: --program
held "a file by its path" "$calls.dyn" :: --only "module:$calls.dyn" :: --program

# A thousand calls, and all of them from main.
held "a function, by its calls" "$calls.O3" :: --only f :: --only f
if [ "$("$WAYMARK" insns run.wmk --format csv | grep -c ',f,0,')" = 1000 ]; then
	passed "a thousand calls" "each of them"
else
	failed "a thousand calls" "$("$WAYMARK" insns run.wmk --format csv | grep -c ',f,0,')"
fi

# ---- threads and processes ---------------------------------------------------

# names: the threads that are in the trace.
names() {
	"$WAYMARK" info run.wmk --format json | \
		"$PYTHON" "$SRC/tests/differential/filters_facts.py" threads_of_processes
}

# listed NAME NAMES: in the trace of the last run.
listed() {
	if [ "$(names)" = "$2" ]; then
		passed "$1: which" "$2"
	else
		failed "$1: which" "$(names)"
	fi
}

held "a thread by number" "$calls.O3" threads :: --only thread:0 :: --listed
listed "a thread by number" "0:"
held "all threads but one" "$calls.O3" threads :: --except thread:0 :: --listed
listed "all threads but one" "0: 0:one 0:two"
held "a thread by name" "$calls.O3" threads :: --only thread:one :: --part
listed "a thread by name" "0:one"
held "threads by names" "$calls.O3" threads :: --only thread:one --only 'thread:t*' :: --part
listed "threads by names" "0:one 0:two"
held "threads but one by name" "$calls.O3" threads :: --except thread:one :: --part
held "the program's own name" "$calls.O3" threads :: --only 'thread:calls*' \
	--except thread:0 :: --part
held "a process by number" "$calls.O3" fork :: --only process:1 :: --listed
listed "a process by number" "1:"
held "all processes but one" "$calls.O3" fork :: --except process:1 :: --listed
listed "all processes but one" "0:"
held "a process by name" "$calls.O3" fork :: --only 'process:calls*' :: --listed
listed "a process by name" "0: 1:"
held "code of a thread" "$calls.O3" threads :: --only f --only thread:0 :: --only f --listed
listed "code of a thread" "0:"

# ---- nothing -----------------------------------------------------------------

ends "no function of a file" 0 \
	"waymark: later.so:f was not found in any file that the guest mapped" \
	--except later.so:f "$calls.O3"
ends "no file" 0 "waymark: module:later.so was not found in any file that the guest mapped" \
	--except module:later.so "$calls.O3"
ends "nothing that ran" 2 \
	"waymark: nothing was recorded: no code ran that the filters let through" \
	--only do_fork "$calls.O3"
ends "no thread" 2 \
	"waymark: nothing was recorded: no code ran that the filters let through" \
	--only thread:nobody "$calls.O3"
exit $((failures > 0))
