#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# What is printed of a trace with gaps (tests/unit/make_trace.c), to the byte.

set -eu
"$BUILD/tests/unit/make_trace" gaps.wmk gaps

# show WORD...: a command and what it prints.
show() {
	echo "\$ waymark $*"
	{ "$WAYMARK" "$@" 2>&1 || echo "exit status $?"; } | grep -vE '^(file|density) '
}

show info gaps.wmk
show verify gaps.wmk
show insns gaps.wmk
show insns gaps.wmk --thread 1
show insns gaps.wmk --no-events --interleave --from 9
show insns gaps.wmk --from 4 --to 9
show insns gaps.wmk --from 5 -n 1
show insns gaps.wmk --format jsonl
show insns gaps.wmk --format csv --from 4 -n 2
show insns gaps.wmk --format qemu --from 4 -n 2
show insns gaps.wmk --format execlog --from 4 -n 2
show insns gaps.wmk --format spike --from 4 -n 2
show blocks gaps.wmk --from 3
show blocks gaps.wmk --from 2 --to 3
show blocks gaps.wmk --format jsonl
show blocks gaps.wmk --format csv
show diff gaps.wmk gaps.wmk
show hot -b block -f insns,executions,address gaps.wmk
show mix gaps.wmk
"$WAYMARK" plot mix --script gaps.wmk | grep 'set title'
show events gaps.wmk
show events gaps.wmk --format csv
show events gaps.wmk --format jsonl --only window,marker
