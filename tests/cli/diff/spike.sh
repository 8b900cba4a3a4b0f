#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Runs against logs of a real Spike, which has a kernel below the program: spike/README.md.

# shellcheck source=tests/cli/common
. "$SRC/tests/cli/common"
# shellcheck source=tests/cli/diff/common
. "$SRC/tests/cli/diff/common"

# shellcheck source=tests/cli/diff/spike/programs
. "$SRC/tests/cli/diff/spike/programs"

programs bare syscalls fp
for log in "$LOGS"/*.xz; do
	xz -dc "$log" >"$(basename "$log" .xz)"
done

# ---- all of a program --------------------------------------------------------

record bare.wmk ./bare || true # it ends with 1
record syscalls.wmk ./syscalls
identical "bare, -l" 660967 bare.wmk --spike bare.log
identical "bare, commits" 660967 bare.wmk --spike bare.commits.log
for log in log both.log nopaging.log; do
	identical "syscalls, $log" 9014 syscalls.wmk --spike syscalls.$log
done
# A pipe is read once.
mkfifo pipe
cat syscalls.commits.log >pipe &
identical "syscalls, commits, from a pipe" 9014 syscalls.wmk --spike pipe
facts "all of it is user mode's" all_of_it_is_user_mode_s

json bare.wmk --spike syscalls.log
check "another program: exit status 1" test "$status" -eq 1

# Cut off in the program: what is there is the same, and A has more.
head -n 3000 syscalls.commits.log >cut.log
json syscalls.wmk --spike cut.log
facts "a log that ends early" a_log_that_ends_early
# It begins in a system call, the fifth: a kernel is known by what it does at its end.
call=$(grep -n trap_user_ecall syscalls.log | sed -n '5s/:.*//p')
tail -n +"$((call + 1))" syscalls.log >late.log
identical "a log that begins in the kernel" 8256 --from 758:0 syscalls.wmk --spike late.log

# ---- a part of it ------------------------------------------------------------

"$WAYMARK" record -o file.wmk ./fp >output
"$WAYMARK" record -o device.wmk ./fp >/dev/null
json file.wmk --spike fp.log
check "fp: libc's start differs" test "$status" -eq 1
identical "fp from main to exit, -l" 485230 --from main --to exit file.wmk --spike fp.log
identical "fp from main to exit, commits" 485305 --from main --to exit \
	device.wmk --spike fp.commits.log
identical "fp from main to its return" 485229 --from main \
	--to __libc_start_call_main+0x36 file.wmk --spike fp.log
json --from main --to exit device.wmk --spike fp.log
facts "and of another kind of output" and_of_another_kind_of_output

# Counted from the beginning on each side, whatever was before.
identical "from the 2,000th call of f" any --from f@2000 --to f@2100 file.wmk \
	--spike fp.log
main=$(riscv64-linux-gnu-nm fp | awk '$3 == "main" { print "0x" $1 }')
identical "from an address" 485230 --from "$main" --to exit file.wmk --spike fp.log
identical "as many instructions of each side" 1000 --from 20000:20000 --to 21000:21000 \
	bare.wmk --spike bare.log
identical "from a place of A and another of B" 3 --from _start --from _start \
	--to insn:3 --to 3 bare.wmk --spike bare.log
identical "places of both, each for itself" any --from f@3 --from f@3 --to exit \
	--to exit file.wmk --spike fp.log
refused "a place that is not reached" \
	'*file.wmk: --from f@99999 is not reached: it comes there 3000 times' \
	"$WAYMARK" diff --from f@99999 file.wmk --spike fp.log
refused "a place that only A reaches" \
	'syscalls.log: --from main is not reached: it comes there 0 times' \
	"$WAYMARK" diff --from main file.wmk --spike syscalls.log
refused "an end that does not come" '*--to main is not reached after --from' \
	"$WAYMARK" diff --from exit --to main file.wmk --spike fp.log

finish
