#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Whatever happens to the collector, nothing is missing: it stands still for a while, it gets
# hardly any time, there are very many children at once, or hardly any places for them. Held
# against the witness, block for block. LOSING_CHILDREN (150) are alive at once, and it stands
# still for LOSING_SECONDS (1).

# shellcheck source=tests/differential/common
. "$(dirname "$0")/common"
# shellcheck source=tests/witness/common
. "$SRC/tests/witness/common"

children=${LOSING_CHILDREN:-150}
seconds=${LOSING_SECONDS:-1}
programs=$GUESTS/processes
WITNESS=,entries=65536 # for a file for each process
busy=

# judge NAME PROCESSES: the last run prints what it prints alone, and all is in the trace.
judge() {
	[ "$guest" = "$plain" ] || why="$why exit status $guest instead of $plain; $(cat err)"
	cmp -s out out.plain || why="$why $(diff out.plain out || true)"
	processes=$("$WAYMARK" info run.wmk --format json |
		"$PYTHON" "$SRC/tests/differential/losing_facts.py" count_processes)
	[ "$processes" = "$2" ] || why="$why $processes processes instead of $2"
	if [ -z "$why" ]; then
		passed "$1" "$processes processes, $(cat verdict)"
	else
		failed "$1" "$why"
	fi
}

# ---- it stands still ---------------------------------------------------------

# find_collector: of the guest that the witness writes of here; $collector.
find_collector() {
	for pid in $(pgrep -f -- "dir=$PWD/seen,"); do
		link=$("$SRC/tests/collector.sh" "$pid" 2>/dev/null) || continue
		collector=$(echo "$link" | cut -d / -f 3)
		return 0
	done
	return 1
}

# stop_collector: stops it before the guest's gate opens, and then again and again.
stop_collector() {
	until find_collector; do sleep 0.02; done
	kill -STOP "$collector"
	echo >gate
	while [ ! -e ended ]; do
		sleep "$seconds"
		kill -CONT "$collector" 2>/dev/null || break
		sleep 0.3
		kill -STOP "$collector" 2>/dev/null || break
	done
	kill -CONT "$collector" 2>/dev/null || true
}

# stopped NAME PROCESSES UNSURE WORD...: as it is alone, while its collector is stopped.
stopped() {
	name=$1 number=$2 unsure=$3
	shift 3
	untraced "$@"
	rm -f ended gate
	mkfifo gate
	exec 3<>gate # so that nobody waits for the other end
	stop_collector &
	stopper=$!
	GUEST_INPUT=gate
	witnessed blocks "$unsure" -- "$programs/gate.O3" "$@" || true
	GUEST_INPUT=
	: >ended
	wait "$stopper"
	exec 3>&-
	judge "$name" "$((number + 1))"
}

stopped "stopped: children at once" 41 0 "$programs/throng.O3" 40
stopped "stopped: one after the other" 51 0 "$programs/throng.O3" 1 50
stopped "stopped: threads" 1 0 "$GUESTS/threads/generations.O3"

# ---- it gets hardly any time -------------------------------------------------

# starve, feed: eight loops on the core that all of this shell's children get; and their end.
starve() {
	cpus=$(taskset -cp $$ | sed 's/.*: //')
	taskset -cp "${cpus%%[,-]*}" $$ >/dev/null
	for _ in 1 2 3 4 5 6 7 8; do
		sh -c 'while :; do :; done' &
		busy="$busy $!"
	done
}

feed() {
	# shellcheck disable=SC2086 # a list of numbers
	[ -z "$busy" ] || kill $busy
	busy=
	taskset -cp "$cpus" $$ >/dev/null
}
trap feed EXIT

# squeezed NAME PROCESSES UNSURE WORD...: as it is alone, on whatever there is.
squeezed() {
	name=$1 number=$2 unsure=$3
	shift 3
	untraced "$@"
	witnessed blocks "$unsure" -- "$@" || true
	judge "$name" "$number"
}

# few NAME WORD...: records throng WORD... with a limit on files, which is one on the memory,
# too, of more than half a gigabyte for each place; $lost: how many the trace says it misses.
few() {
	(ulimit -f 16777216 && "$WAYMARK" record --qemu "$QEMU" -o run.wmk -- \
		"$programs/throng.O3" "$@" >out 2>err </dev/null) || true
	untraced "$programs/throng.O3" "$@"
	"$WAYMARK" verify run.wmk >verdict 2>&1 || true
	"$WAYMARK" info run.wmk --format json >info
	processes=$( \
		"$PYTHON" "$SRC/tests/differential/losing_facts.py" count_processes_of_file)
	lost=$(sed -n 's/.*short: \([0-9]*\) processes were not recorded.*/\1/p' verdict)
	why=
	cmp -s out out.plain || why=$(diff out.plain out || true)
}

starve
squeezed "starved: children at once" 31 0 "$programs/throng.O3" 30
squeezed "starved: threads" 1 0 "$GUESTS/threads/names.O3"
# Processes die before it has met them, and those after them need their places.
few 1 100
[ "$processes" = 101 ] || why="$why $processes processes"
grep -q "complete and sound" verdict || why="$why $(cat verdict)"
if [ -z "$why" ]; then
	passed "few places, one after the other" "$processes processes"
else
	failed "few places, one after the other" "$why"
fi
feed

# ---- very many children ------------------------------------------------------

WITNESS=,entries=16384
squeezed "$children children at once" $((children + 1)) 0 "$programs/throng.O3" "$children"

# ---- hardly any places -------------------------------------------------------

few 50
[ "$((processes + ${lost:-0}))" = 51 ] || why="$why $processes processes, $(cat verdict)"
[ "${lost:-0}" -gt 0 ] || why="$why nobody is missing: $(cat verdict)"
if [ -z "$why" ]; then
	passed "few places, many at once: it says how many are missing" "$lost"
else
	failed "few places, many at once: it says how many are missing" "$why"
fi
exit $((failures > 0))
