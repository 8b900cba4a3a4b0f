#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# What is printed of a small trace with everything in it (tests/unit/make_trace.c), to the
# byte.

set -eu
"$BUILD/tests/unit/make_trace" made.wmk

# show WORD...: a command and what it prints.
show() {
	echo "\$ waymark $*"
	{ "$WAYMARK" "$@" 2>&1 || echo "exit status $?"; } | grep -vE '^(file|density) '
}

show info made.wmk
show events made.wmk
show events made.wmk --format csv
show events made.wmk --format jsonl
show events made.wmk --only 'open*,sigsegv' --only futex
show events made.wmk --only syscall_ret -n 2 --format csv
show events made.wmk --thread worker -n 2
show events made.wmk --process 43
show events made.wmk --thread 0 --from 5 --to 11
show events made.wmk --thread 0 --from 3 --to 5 --format csv
show insns made.wmk
show insns made.wmk --no-events --from 8
show insns made.wmk --format csv --from 9
show insns made.wmk --format jsonl --from 13
show insns made.wmk --format jsonl --events --from 10 -n 1
show insns made.wmk --from 14
show blocks made.wmk
show blocks made.wmk --format jsonl --from 4
show insns made.wmk --interleave
show insns made.wmk --interleave --from 5 --to 10
show insns made.wmk --interleave --process 0 --thread worker --from 4 --no-events
show blocks made.wmk --interleave --format csv
show blocks made.wmk --interleave --format jsonl -n 3
show insns made.wmk --interleave --format spike --process 0 --from 10
