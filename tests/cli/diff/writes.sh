#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# What real Spike's commits wrote, against recordings of the same programs: nothing differs
# but what must, and of a log with one wrong write exactly that one does.

# shellcheck source=tests/cli/common
. "$SRC/tests/cli/common"
# shellcheck source=tests/cli/diff/common
. "$SRC/tests/cli/diff/common"
# shellcheck source=tests/cli/diff/spike/programs
. "$SRC/tests/cli/diff/spike/programs"

programs syscalls fp
for name in syscalls fp; do
	for log in commits writes; do
		xz -dc "$LOGS/$name.$log.log.xz" >$name.$log
	done
	"$PYTHON" "$HERE/writes_facts.py" whole $name.commits $name.writes >$name.log
	record $name.wmk --mem --mem-values ./$name
	record $name.commits.wmk --commits ./$name
done

identical "syscalls with what it wrote" 9014 syscalls.wmk --spike syscalls.log
facts "all of it was compared" all_was_compared
check "each wrong write of syscalls is found" \
	"$PYTHON" "$HERE/writes_facts.py" each_wrong_write syscalls syscalls.wmk 16
identical "every register of syscalls" 9014 syscalls.commits.wmk --spike syscalls.log
facts "all registers were compared" all_registers_were_compared
check "each wrong write or register of syscalls is found" \
	"$PYTHON" "$HERE/writes_facts.py" each_wrong_write syscalls syscalls.commits.wmk 20

# FP registers that nothing has written yet are 0 in QEMU and boxed in Spike; the guard of
# the stack is random.
set -- --from main --may-differ 0=0xffffffff00000000 --may-differ __stack_chk_guard
json "$@" fp.wmk --spike fp.log
facts "fp from main on" fp_from_main_on
check "each wrong write of fp is found" \
	"$PYTHON" "$HERE/writes_facts.py" each_wrong_write fp fp.wmk 16 "$@"
json "$@" fp.commits.wmk --spike fp.log
facts "every register of fp" every_register_of_fp
check "each wrong write or register of fp is found" \
	"$PYTHON" "$HERE/writes_facts.py" each_wrong_write fp fp.commits.wmk 20 "$@"

finish
