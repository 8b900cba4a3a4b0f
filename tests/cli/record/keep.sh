#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Whether a recording is kept at all: by how the program ends, by signals. When it is not, an
# older file of the name stays as it was.

# shellcheck source=tests/cli/common
. "$(dirname "$0")/../common"

# wanted KEPT STATUS OPTION... -- GUEST WORD...: as it should be.
wanted() {
	kept=$1 expected=$2
	shift 2
	rm -f run.wmk*
	printf old >run.wmk
	run "$WAYMARK" record -o run.wmk "$@"
	case=$(echo "$*" | sed "s,$GUESTS/,,")
	check "$case: ends like the program" [ "$status" -eq "$expected" ]
	if [ "$kept" = kept ]; then
		check "$case: is kept" "$WAYMARK" verify run.wmk
		check "$case: so is the earlier one" [ "$(cat run.wmk.old)" = old ]
		rm run.wmk.old
	else
		check "$case: is not kept" [ "$(cat run.wmk)" = old ]
	fi
	check "$case: nothing else is left" [ "$(ls run.wmk*)" = run.wmk ]
	check "$case: Waymark prints nothing" sh -c "! grep -q ^waymark: stderr"
}

die=$GUESTS/processes/die.O3
wanted gone 0 --on-exit nonzero -- "$die" exit 0
wanted kept 3 --on-exit nonzero -- "$die" exit 3
wanted kept 139 --on-exit nonzero -- "$die" fault
wanted gone 3 --on-exit crash -- "$die" exit 3
wanted kept 139 --on-exit crash -- "$die" fault
wanted kept 137 --on-exit crash -- "$die" kill 9
wanted kept 139 --on-signal -- "$die" fault
wanted kept 139 --on-signal=SEGV -- "$die" fault
wanted kept 139 --on-signal=11 -- "$die" fault
wanted gone 139 --on-signal=SIGBUS -- "$die" fault
wanted kept 139 --on-signal=bus --on-signal=sigsegv -- "$die" fault
wanted kept 3 --on-signal=bus --on-exit nonzero -- "$die" exit 3
wanted kept 139 --last 50-insns --on-exit crash -- "$die" fault
wanted gone 0 --last 50-insns --on-exit crash -- "$die" exit 0
wanted gone 0 --on-marker 7 -- "$die" exit 0

# A signal that comes to a handler, which the program survives.
printf old >run.wmk
run "$WAYMARK" record --on-signal=USR1 -o run.wmk "$GUESTS/signal.O3"
check "a handler's signal: is kept" "$WAYMARK" verify run.wmk
printf old >run.wmk
run "$WAYMARK" record --on-signal=PIPE -o run.wmk "$GUESTS/signal.O3"
check "another signal: is not kept" [ "$(cat run.wmk)" = old ]

# A marker that is met; which of them is known by its id.
cat >marked.c <<'END'
int main(void)
{
	__asm__ volatile("slti zero, zero, 7"); /* see isa/marker.c */
	return 0;
}
END
${CROSS_CC:-riscv64-linux-gnu-gcc} -O1 -static -o marked marked.c
wanted kept 0 --on-marker 7 -- ./marked
wanted kept 0 --last 100-insns --on-marker 5 --on-marker 7 -- ./marked
wanted gone 0 --on-marker 8 -- ./marked

# ---- what is said, and to whom -----------------------------------------------

run script -qec "'$WAYMARK' record --on-exit crash -o no.wmk '$die' exit 5" /dev/null
check "to a terminal: a message" grep -q 'nothing happened that the trace was to be kept for' stdout
check "to a terminal: the program's status" [ "$status" -eq 5 ]
check "to a terminal: there is no file" [ ! -e no.wmk ]

# ---- killed before it is decided: what there is has another name -------------

"$WAYMARK" record --on-exit crash -o late.wmk "$GUESTS/processes/spin.O3" >said 2>&1 &
guest=$!
until [ -s said ]; do sleep 0.05; done
kill -KILL "$(recorder_of $guest)"
kill -KILL $guest
wait $guest 2>/dev/null || true
check "recorder killed: there is no file of the name" [ ! -e late.wmk ]
"$WAYMARK" info late.wmk.?????? >info 2>&1 || true
check "recorder killed: it is beside that" grep -q '^complete *no' info

# ---- wrong -------------------------------------------------------------------

misused "a way to end that there is not" '--on-exit takes nonzero or crash, not "badly"' \
	"$WAYMARK" record --on-exit badly "$die" exit 0
misused "a signal that there is not" 'there is no signal "SIGFOO"' \
	"$WAYMARK" record --on-signal=SIGFOO "$die" exit 0
misused "a signal of no number" 'there is no signal "0"' \
	"$WAYMARK" record --on-signal=0 "$die" exit 0
misused "a marker without a number" '--on-marker takes a number*' \
	"$WAYMARK" record --on-marker here "$die" exit 0
misused "a marker that cannot be" '--on-marker takes a number from 0 to 1023*' \
	"$WAYMARK" record --on-marker 1024 "$die" exit 0
finish
