#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# A run against logs: those that insns writes, QEMU's own, and lines as Spike and execlog
# write them that insns does not.

# shellcheck source=tests/cli/common
. "$SRC/tests/cli/common"
# shellcheck source=tests/cli/diff/common
. "$SRC/tests/cli/diff/common"

bare rounds "$HERE/rounds.c"
record 3.wmk ./rounds 2 3
record 5.wmk ./rounds 2 3 4 5

for form in spike execlog qemu; do
	"$WAYMARK" insns --format $form 3.wmk >log
	identical "what insns writes as $form" 1309 3.wmk --$form log
	json 5.wmk --$form log
	check "$form: exit status 1" test "$status" -eq 1
	facts "$form: the other run is another" form_the_other_run_is_another
done
"$WAYMARK" insns --format execlog 3.wmk >log
mkfifo pipe
cat log >pipe &
identical "a log from a pipe" 1309 3.wmk --execlog pipe

"$QEMU" -d in_asm,exec,nochain -D qemu.log ./rounds 2 3
identical "QEMU's own log" 1309 3.wmk --qemu qemu.log
json 5.wmk --qemu qemu.log
check "QEMU's own log of another run has all blocks" test ! -s stderr
"$QEMU" -d in_asm,exec -D chained.log ./rounds 2 3
json 3.wmk --qemu chained.log
check "QEMU's own log without nochain: what is wrong with it is said" \
	grep -q 'chained.log was made without nochain, so it misses blocks' stderr
json 5.wmk --qemu qemu.log
facts "QEMU's own log of another run" qemu_s_own_log_of_another_run
# Newer versions of QEMU put what a handler returns to where the host has room, unless -R says
# how much memory the program has.
"$QEMU" -R 0x4000000000 -d in_asm,exec,nochain -D signal.log "$GUESTS/signal.O3" >/dev/null
record signal.wmk --qemu-arg -R --qemu-arg 0x4000000000 "$GUESTS/signal.O3"
identical "QEMU's own log of a C program" any signal.wmk --qemu signal.log

# ---- parts -------------------------------------------------------------------

# 3 instructions, rounds of 13 with three more in the third: a round begins at _start+12.
for form in spike execlog qemu; do
	"$WAYMARK" insns --format $form 3.wmk >log
	identical "$form from an ordinal" 1304 --from 5 3.wmk --$form log
	identical "$form from one to another" 95 --from 5 --to 100 3.wmk --$form log
	identical "$form from one of each to one of each" 14 --from 3:16 --to 17:30 \
		3.wmk --$form log
	identical "$form from a place" 1261 --from work@4 --to insn:1320 3.wmk --$form log
	identical "$form to a place behind that" 26 --from work@4 --to work@6 3.wmk --$form log
	json --from work@2 --from work@3 --to work@5 --to work@6 3.wmk --$form log
	facts "$form from one place to another of each" form_from_one_place_to_another_of_each
	json --from _start+14 --from work@3 3.wmk --$form log
	facts "$form from where only A goes" form_from_where_only_a_goes
done
identical "QEMU's own log, from within a block" 1271 --from work+6@3 3.wmk --qemu qemu.log
json --from 4:5 --to 9:9 3.wmk --qemu qemu.log
facts "QEMU's own log, by the instruction" qemu_s_own_log_by_the_instruction

# ---- Spike -------------------------------------------------------------------

# What runs before the program (a boot ROM, in machine mode, as all of this log then is),
# remarks, and one instruction that runs in a row. With a kernel: spike.sh.
"$WAYMARK" insns --format spike 3.wmk | awk '
	NR == 1 {
		n = split("00000297 02028593 f1402573 0182b283 00028067", words)
		for (i = 1; i <= n; i++)
			printf "core   0: 0x%016x (0x%s) \n", 4092 + i * 4, words[i]
		print "core   0: exception interrupt #7, epc 0x0000000000001010"
		print "core   0:           tval 0x0000000000000000"
	}
	{ print }' >spike.log
json 3.wmk --spike spike.log
check "a boot ROM: exit status 0" test "$status" -eq 0
facts "a boot ROM before the program is no difference" a_boot_rom_before_the_program_is_no_diff
json 5.wmk --spike spike.log
facts "and divergences behind it are" and_divergences_behind_it_are
awk '{ print } NR == 300 { print "core   0: Executed 8 times" }' spike.log >row.log
json 3.wmk --spike row.log
facts "an instruction in a row" an_instruction_in_a_row

sed 's/^core   0: 0x/core   0: 3 0x/; s/) .*/) x5  0x0000000000001000/' spike.log >machine.log
json 3.wmk --spike machine.log
facts "a log of commits in machine mode alone" a_log_of_commits_in_machine_mode_alone

# ---- execlog -----------------------------------------------------------------

"$WAYMARK" insns --format execlog 3.wmk |
	sed 's/"$/", load, 0x4000800508, RAM/; 5i plugin says something' >execlog.log
identical "memory accesses and other lines" 1309 3.wmk --execlog execlog.log

# ---- threads -----------------------------------------------------------------

record threaded.wmk "$GUESTS/threads/names.O3"
"$WAYMARK" insns --format execlog --interleave threaded.wmk >threaded.log
json threaded.wmk --execlog threaded.log
facts "all CPUs" all_cpus
grep '^0,' threaded.log >first.log
json threaded.wmk --execlog first.log
facts "a CPU that the log does not have" a_cpu_that_the_log_does_not_have
record generations.wmk "$GUESTS/threads/generations.O3"
"$WAYMARK" insns --format execlog --interleave generations.wmk >generations.log
json generations.wmk --execlog generations.log
facts "threads that a CPU had one after the other" threads_that_a_cpu_had_one_after_the_oth
json --thread 0 threaded.wmk --execlog first.log
facts "one thread alone" one_thread_alone
sed 's/^0,/3,/' execlog.log >third.log
"$WAYMARK" import execlog third.log -o third.wmk 2>/dev/null
json third.wmk --execlog third.log
facts "CPUs of lower numbers, of which the log has nothing" one_thread_alone
check "that is no difference" test "$status" -eq 0

# A log that was imported without the program's file has addresses, and so has the comparison.
"$WAYMARK" insns --format spike 3.wmk >log
"$WAYMARK" import spike log -o fileless.wmk 2>/dev/null
identical "a recording, and one without files" 1309 3.wmk fileless.wmk
identical "one without files, and a recording" 1309 fileless.wmk 3.wmk
json 5.wmk fileless.wmk
check "another run, and one without files: they differ" test "$status" -eq 1
run "$WAYMARK" diff 3.wmk fileless.wmk
check "that addresses were compared is said" \
	grep -qx 'only one of the runs has files, so compared by address' stdout

# ---- refused -----------------------------------------------------------------

echo nothing >empty.log
refused "a file that is no log" '*no line of the log is about an instruction' \
	"$WAYMARK" diff 3.wmk --spike empty.log
refused "no log" '*cannot open*' "$WAYMARK" diff 3.wmk --spike nowhere.log
usage "a log and two traces" '*one trace at a time with a log*' \
	3.wmk 5.wmk --spike spike.log
usage "two logs" '*one log at a time*' \
	3.wmk --spike spike.log --qemu qemu.log
usage "a log by function" '*a log has no counts' \
	3.wmk --spike spike.log --by function
usage "three times from" '*--from is given for A and for B, and not again' \
	--from main --from main --from main 3.wmk --spike spike.log
usage "twice from halves" '*--from is given for A and for B, and not again' \
	--from 1:2 --from 3 3.wmk --spike spike.log
usage "from a time" '*time:2 bounds no comparison*' --from time:2 3.wmk --spike spike.log
usage "from a word that is no place" '*is no place in a run*' --from f@0 3.wmk \
	--spike spike.log
usage "a table from a place" '*--from and --to are numbers' --by function --from main \
	3.wmk 5.wmk

finish
