#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Where the end of the program is hard to hold: as process 1 of a container, whose end kills
# the recorder, too; and where nobody may trace. What a container must have is asked for.

# shellcheck source=tests/cli/common
. "$(dirname "$0")/../common"

programs=$GUESTS/processes

# recorded STATUS NAME WORD...: the program ends with STATUS, and its trace is whole.
recorded() {
	wanted=$1 name=$2
	shift 2
	rm -f run.wmk
	run timeout "$GUARD" "$@"
	check "$name: the status" [ "$status" -eq "$wanted" ]
	check "$name: the trace is whole" "$WAYMARK" verify run.wmk
}

# ---- process 1 ---------------------------------------------------------------

container="unshare --user --map-root-user --pid --fork --mount-proc"
# shellcheck disable=SC2086 # a list of words
if $container true 2>/dev/null; then
	recorded 7 "process 1" $container "$WAYMARK" record -o run.wmk "$GUESTS/status.O3"
	recorded 9 "process 1, by execve" $container "$WAYMARK" record -o run.wmk \
		"$programs/chain.O3" 2 "$programs/chain.O3" "$programs/chain.O3"

	# With the /proc of the namespace outside, in which its number is another one's.
	refused "another namespace's /proc" "*/proc is not that of this PID namespace*" \
		unshare --user --map-root-user --pid --fork "$WAYMARK" record "$GUESTS/status.O3"
	run unshare --user --map-root-user --pid --fork "$WAYMARK" doctor
	check "another namespace's /proc: doctor says so" grep -q '^ *WRONG /proc: not that' stdout
	refused "without /dev/null" "*cannot open /dev/null: *" unshare --user --map-root-user \
		--mount sh -c 'mount -t tmpfs tmpfs /dev && exec "$@"' - \
		"$WAYMARK" record "$GUESTS/status.O3"

	# Killed from outside: a child of unshare's.
	rm -f run.wmk
	$container --kill-child "$WAYMARK" record -o run.wmk "$programs/spin.O3" >said 2>stderr &
	outside=$!
	until_true test -s said
	first=$(pgrep -P "$outside")
	has_run "$first"
	kill -KILL "$first"
	wait "$outside" 2>/dev/null || true
	check "process 1, killed: the trace is whole" "$WAYMARK" verify run.wmk
	check "process 1, killed: that is its end" sh -c \
		'"$0" info run.wmk | grep -q "^ended .*signal 9"' "$WAYMARK"
else
	echo "ok process 1 # SKIP there are no namespaces of our own"
fi

# ---- without ptrace() --------------------------------------------------------

untraced="$PYTHON $SRC/tests/cli/record/container_untraced.py"
# shellcheck disable=SC2086 # a list of words
if $untraced true; then
	recorded 7 "nobody may trace" $untraced "$WAYMARK" record -o run.wmk "$GUESTS/status.O3"
	recorded 9 "nobody may trace, by execve" $untraced "$WAYMARK" record -o run.wmk \
		"$programs/chain.O3" 2 "$programs/chain.O3" "$programs/chain.O3"
else
	echo "ok nobody may trace # SKIP there are no filters of system calls"
fi
finish
