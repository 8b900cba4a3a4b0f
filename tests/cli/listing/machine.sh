#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# A machine's threads in all modes and on two harts (tests/unit/make_trace.c): what is selected
# by mode, hart, process and system call. What is printed, to the byte.

set -eu
"$BUILD/tests/unit/make_trace" machine.wmk machine
"$BUILD/tests/unit/make_trace" program.wmk

# show WORD...: a command and what it prints.
show() {
	echo "\$ waymark $*"
	{ "$WAYMARK" "$@" 2>&1 || echo "exit status $?"; } | grep -vE '^(file|density) '
}

show blocks machine.wmk --interleave
show blocks machine.wmk --mode firmware,user --interleave
show blocks machine.wmk --thread sh --mode user --no-events
show blocks machine.wmk --thread sh --mode kernel --events
show blocks machine.wmk --thread sh --hart 1 --no-events
show blocks machine.wmk --thread sh --hart 0 --mode kernel --no-events
show blocks machine.wmk --process ls --no-events
show insns machine.wmk --syscall 'writ*' --mode kernel --no-events
show insns machine.wmk --thread sh --mode user --from 5 --to 12 --no-events
show hot -b block -f insns,executions,address machine.wmk --mode user
show hot -b block -f insns,executions,address machine.wmk --mode kernel --hart 0
show hot -b block -f insns,executions,address machine.wmk --mode kernel --to 8
show mix machine.wmk --mode firmware
show calls --tree machine.wmk --mode kernel --syscall write
show calls --tree machine.wmk --thread sh
show cfg --loops machine.wmk --mode user --thread sh
show events machine.wmk --only interrupt
show events machine.wmk --only exception,mode_change --mode user
show events machine.wmk --only 'page_fault,context_switch,timer interrupt'
show events machine.wmk --process ls

# What does not exist.
show info machine.wmk
show boot machine.wmk
for i in 1 2; do
	"$WAYMARK" boot --part $i/2 --state $i.wms machine.wmk
done
show merge 2.wms 1.wms
show boot program.wmk

show hot machine.wmk --process zsh
show hot machine.wmk --pid 99
show hot machine.wmk --hart 2
show hot machine.wmk --mode supervisor
show hot machine.wmk --syscall wirte
show hot machine.wmk --syscall reboot
show hot program.wmk --mode user
show phases machine.wmk --thread sh --mode user
show blocks machine.wmk --thread sh --mode user --format ctf
