#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Mixes against listings of the same trace, counted line by line; and the same for any -j.

# shellcheck source=tests/cli/common
. "$SRC/tests/cli/common"

# listed PROGRAM THREADS FROM TO
listed() {
	rm -f run.wmk
	"$WAYMARK" record --qemu "$QEMU" -o run.wmk -L /usr/riscv64-linux-gnu -- "$GUESTS/$1" \
		>out 2>&1 || true
	if "$PYTHON" "$SRC/tests/cli/mix/count.py" run.wmk "$2" "$3" "$4" >verdict 2>&1; then
		passed "$1 ($(cat verdict))"
	else
		failed "$1" "$(cat verdict)"
	fi
}

listed float.O3 1 0 200000
listed mixed.nc 1 100000 200000
listed atomics.dyn 1 0 150000
listed muldiv.O3 1 77 150000
listed faults/repair.O3 1 0 1000000
listed faults/handlers.dyn 1 5 150000
listed threads/mainfirst.O3 2 0 100000

# ---- the same to the byte for every -j ---------------------------------------

# agree NAME WORD...
agree() {
	what=$1
	shift
	"$WAYMARK" mix run.wmk -j 1 "$@" >one
	for threads in 2 3 7; do
		"$WAYMARK" mix run.wmk -j $threads "$@" >more
		cmp -s one more || cp more differs
	done
	if [ -s one ] && [ ! -e differs ]; then
		passed "$what"
	else
		failed "$what" "$(diff one differs | head -n 10)"
	fi
	rm -f differs
}

for division in mnemonic class extension size register; do
	agree "by $division, -j" --by $division
done
agree "per function, -j" --per function --format json
agree "over time, -j" --interval 10000 --from 1234 --format csv
agree "over time in functions, -j" --interval 10000 --function '*_*' --format csv

# ---- over time: the intervals add up -----------------------------------------

sums() { awk -F, 'NR > 1 { n[$1] += $2 } END { for (kind in n) print kind "," n[kind] }' | sort; }
"$WAYMARK" mix run.wmk --interval 777 -f class,insns --format csv | sums >parts
"$WAYMARK" mix run.wmk -f class,insns --format csv | sums >whole
same "intervals add up to the whole" whole parts
"$WAYMARK" mix run.wmk --per function -f class,insns --format csv | sums >parts
same "functions add up to the whole" whole parts
"$WAYMARK" mix run.wmk --interval 18446744073709551615 -f class,insns --format csv | sums >parts
same "one long interval for each thread" whole parts

# ---- what is refused ---------------------------------------------------------

"$WAYMARK" record --qemu "$QEMU" -o long.wmk -- "$GUESTS/strings.O3" >out
refused "too many intervals" "*more than 1000000 intervals*" \
	"$WAYMARK" mix long.wmk --interval 1
refused "no such thread" "*there is no thread 9*" "$WAYMARK" mix run.wmk --thread 9
misused "intervals of functions" "*--interval and --per function exclude each other*" \
	"$WAYMARK" mix run.wmk --interval 10k --per function

# usage NAME PATTERN WORD...: exit status 2 and the sentence; argp adds a line of advice.
usage() {
	name=$1 text=$2
	shift 2
	misused "$name" "$text" "$WAYMARK" mix run.wmk "$@"
}

usage "no such division" '--by takes mnemonic, class, extension, size or register*' --by colour
usage "no such group" '--per takes function or interval*' --per thread
usage "no interval" '--interval takes a number from 1 on*' --interval 0
usage "no such column" 'there is no column "reads"*' -f reads
usage "no column of another mix" 'there is no column "function"*' -s function
finish
