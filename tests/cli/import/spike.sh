#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Logs of a real Spike as traces: the path of the program is the recording's.

# shellcheck source=tests/cli/common
. "$SRC/tests/cli/common"
# shellcheck source=tests/cli/diff/spike/programs
. "$SRC/tests/cli/diff/spike/programs"

programs bare syscalls
"$WAYMARK" record -o bare.wmk ./bare >/dev/null || true # it ends with 1
"$WAYMARK" record -o syscalls.wmk ./syscalls >/dev/null
for log in bare.log bare.commits.log syscalls.log syscalls.commits.log syscalls.both.log; do
	program=${log%%.*}
	xz -dc "$LOGS/$log.xz" >log
	run "$WAYMARK" import spike log --elf "$program" -o spike.wmk
	check "$log: status 0" test "$status" -eq 0
	check "$log: a remark says that pk is left out" \
		grep -q 'has of the record.s [0-9,]* instructions only those of user mode$' stderr
	check "$log: sound" "$WAYMARK" verify spike.wmk
	run "$WAYMARK" diff "$program.wmk" spike.wmk
	check "$log: the path is the recording's" test "$status" -eq 0
	"$WAYMARK" hot --format csv -f function,insns "$program.wmk" | sort >wanted
	"$WAYMARK" hot --format csv -f function,insns spike.wmk | sort >got
	same "$log: functions" wanted got
done
finish
