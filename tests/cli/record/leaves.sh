#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The first process becomes a program of the host's, which is not recorded.

# shellcheck source=tests/cli/common
. "$(dirname "$0")/../common"

"${CROSS_CC:-riscv64-linux-gnu-gcc}" -static -O1 -o leaves "$SRC/tests/cli/record/leaves.c"

# What the program of the host's finds. (The inner shell's variable.)
# shellcheck disable=SC2016
run "$WAYMARK" record -o run.wmk ./leaves \
	'"$WAYMARK" info run.wmk --format json >found 2>&1; exit 6'
check "alone: its status" test "$status" -eq 6
check "alone: the file is complete when the program begins" \
	grep -q '"complete": true' found
check "alone: sound" "$WAYMARK" verify run.wmk

# It waits for a child that is recorded, so the recording is not over.
mkfifo line
rm -f run.wmk
status=0
timeout "$GUARD" "$WAYMARK" record --wait=all -o run.wmk ./leaves \
	'echo >line; until grep -q child out; do sleep 0.05; done; exit 7' line >out || status=$?
check "with a child: its status" test "$status" -eq 7
# complete: the file is there, and has its end
complete() { "$WAYMARK" verify run.wmk; }
check "with a child: the file is completed" until_true complete
check "with a child: both are in it" test \
	"$("$WAYMARK" info run.wmk --format json | grep -c '"pid":')" -eq 2
finish
