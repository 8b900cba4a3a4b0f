#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Events, against what others know of the same run; and what is exact when nobody wants any.

# shellcheck source=tests/differential/common
. "$(dirname "$0")/common"
# shellcheck source=tests/witness/common
. "$SRC/tests/witness/common"
"$SRC/tests/witness/build.sh" ./translations.so "$QEMU" translations

# verdict NAME: passes when ./got is as ./wanted.
verdict() {
	if cmp -s wanted got; then
		passed "$1" "$(wc -l <got) lines"
	else
		failed "$1" "$(diff wanted got | head -n 10)"
	fi
}

# listed KIND: its events in run.wmk, as json lines.
listed() { "$WAYMARK" events run.wmk --only "$1" --format jsonl | grep "\"event\":\"$1\""; }

# fields FIELD...: of the json lines of standard input.
fields() {
	"$PYTHON" "$SRC/tests/differential/events_facts.py" fields "$@"
}

# recorded WORD...: `waymark record WORD...`.
recorded() {
	rm -f run.wmk
	"$WAYMARK" record --qemu "$QEMU" -L "$SYSROOT" -o run.wmk "$@" >out 2>err </dev/null || true
}

# ---- translations ------------------------------------------------------------

for program in qsort.O3 jit.O3 qsort.dyn; do
	recorded --events tb_translate --qemu-arg -plugin --qemu-arg \
		"$PWD/translations.so,out=$PWD/wanted" -- "$GUESTS/$program"
	listed tb_translate | fields address insns >got
	verdict "translations of $program"
done

# ---- later versions of a block, and none where there is one ------------------

recorded --events block_version -- "$GUESTS/faults/patch.O3" address
address=$(sed -n 's/^at //p' out)
seq 2 1000 | sed "s/.*/0x$address & 8/" | sed 's/0x0x/0x/' >wanted
listed block_version | fields address version bytes >got
verdict "a function patched 999 times"
recorded --events block_version -- "$GUESTS/qsort.O3"
if listed block_version >got; then
	failed "a program that stays as it is" "$(head -n 3 got)"
else
	passed "a program that stays as it is" "no later versions"
fi

# ---- processes and programs --------------------------------------------------

recorded -- "$GUESTS/processes/tree.O3"
listed fork | fields child | sort >got
"$WAYMARK" info run.wmk --format json | \
	"$PYTHON" "$SRC/tests/differential/events_facts.py" children | sort >wanted
verdict "fourteen forks"
[ "$(wc -l <got)" -eq 14 ] || failed "fourteen forks, counted" "$(wc -l <got)"
listed vcpu_init | fields process tid | sort >got
listed vcpu_exit | fields process tid | sort >wanted
verdict "each thread that began has ended"
[ "$(wc -l <got)" -eq 15 ] || failed "fifteen threads, counted" "$(wc -l <got)"

chain=$GUESTS/processes/chain.O3
recorded -- "$chain" 3 "$chain" "$chain"
listed exec | fields process text >got
printf '1 %s\n2 %s\n3 %s\n' "$chain" "$chain" "$chain" >wanted
verdict "three programs become another"

recorded -- "$GUESTS/threads/names.O3"
"$WAYMARK" info run.wmk --format json | \
	"$PYTHON" "$SRC/tests/differential/events_facts.py" named_threads | sort >all
listed thread_name | fields tid text | sort >got
# A thread may have had other names before.
comm -12 all got >wanted
if [ -s wanted ] && [ "$(comm -23 all got | grep -vc ' names.O3$')" -eq 0 ]; then
	passed "names of threads" "$(wc -l <got)"
else
	failed "names of threads" "$(diff all got)"
fi

# ---- mappings: they are what the calls say -----------------------------------

recorded --events 'm*map' -L "$SYSROOT" -- "$GUESTS/qsort.dyn"
"$WAYMARK" events run.wmk --thread 0 --format jsonl | \
	"$PYTHON" "$SRC/tests/differential/events_facts.py" mappings_by_calls >wanted
"$WAYMARK" events run.wmk --thread 0 --format jsonl | \
	"$PYTHON" "$SRC/tests/differential/events_facts.py" mappings_by_events >got
verdict "what is mapped"

# ---- without events the sequence is what it was ------------------------------

# quiet NAME UNSURE EVENTS WORD...: as the witness saw it, with these patterns.
quiet() {
	name=$1 unsure=$2 patterns=$3
	shift 3
	# shellcheck disable=SC2086 # a list of words
	if witnessed insns "$unsure" --events=$patterns -- "$@"; then
		passed "$name with $patterns" "$(cat verdict)"
	else
		failed "$name with $patterns" "$why"
	fi
	if "$WAYMARK" events run.wmk --format csv | grep -qE ',(syscall_ret|thread_name),'; then
		failed "$name with $patterns has none" ""
	fi
}

for source in "$SRC"/tests/guests/faults/*.c; do
	name=$(basename "$source" .c)
	quiet "faults/$name" 0 '-*' "$GUESTS/faults/$name.O3"
done
quiet faults/repair 0 '-syscall*,-thread_name' "$GUESTS/faults/repair.O3"
ulimit -c 0
quiet "ends by a fault" 1 '-*' "$GUESTS/processes/die.O3" fault
quiet "ends by a call" 0 '-*' "$GUESTS/processes/die.O3" kill 9
quiet names 0 '-*' "$GUESTS/threads/names.O3"
listed_names=$("$WAYMARK" info run.wmk | grep -c 'names' || true)
[ "$listed_names" -gt 0 ] || failed "threads have their names without events" ""
# Threads that come and go on the same lanes.
quiet generations 0 '-*' "$GUESTS/threads/generations.O3"
exit $((failures > 0))
