#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# A part of a machine (tests/unit/make_trace.c): what a process ran of its threads, and no part
# of what a thread ran in pieces.

# shellcheck source=tests/cli/common
. "$(dirname "$0")/../common"

"$BUILD/tests/unit/make_trace" machine.wmk machine

# part_of NAME WORD...: a part by these options has the instructions that they select.
part_of() {
	name=$1
	shift
	rm -f part.wmk
	run "$WAYMARK" cut machine.wmk "$@" -o part.wmk
	check "$name: a part" [ "$status" -eq 0 ]
	check "$name: it is sound" "$WAYMARK" verify part.wmk
	"$WAYMARK" insns machine.wmk "$@" --no-events --format csv | cut -d, -f3- >wanted
	"$WAYMARK" insns part.wmk --no-events --format csv | cut -d, -f3- >got
	check "$name: it has instructions" test "$(wc -l <got)" -gt 1
	same "$name: they are what is selected" wanted got
}

part_of "the second program of a thread" --process ls
part_of "the first one" --process sh
part_of "from a place on" --process sh --thread sh --from 4
part_of "on one hart" --thread sh --hart 1
part_of "the machine itself" --process machine

"$WAYMARK" cut machine.wmk --process ls -o part.wmk >/dev/null
"$WAYMARK" info part.wmk >info.txt
check "info says of what it is a part" \
	grep -q '^part of  *from instruction [0-9]* on of thread 1 of machine.wmk$' info.txt
"$WAYMARK" cut machine.wmk --thread sh --from 20 -o part.wmk >/dev/null
"$WAYMARK" info part.wmk >info.txt
check "a hart without a turn is no switch" grep -q '^machine .* 0 switches$' info.txt

run "$WAYMARK" cut machine.wmk --mode user -o pieces.wmk
check "no part of pieces" [ "$status" -eq 2 ]
check "it says what can be chosen" grep -q 'thread 1 ran what is selected in [0-9]* pieces' stderr
check "and leaves no file" [ ! -e pieces.wmk ]

finish
