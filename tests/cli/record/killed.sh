#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Whoever is killed: what the guest did before is in the file, and nobody hangs.

# shellcheck source=tests/cli/common
. "$(dirname "$0")/../common"

# started FILE: spin runs under a recorder in the background, pid in $recorder, and has
# said so.
started() {
	rm -f said
	"$WAYMARK" record -o "$1" "$GUESTS/processes/spin.O3" >said 2>stderr &
	recorder=$!
	for _ in $(seq 200); do
		[ ! -s said ] || break
		sleep 0.05
	done
	sleep 0.2
	guest=$(pgrep -P "$recorder" || true)
}

ended() {
	status=0
	wait "$recorder" 2>/dev/null || status=$?
}

gone() {
	for _ in $(seq 100); do
		kill -0 "$1" 2>/dev/null || return 0
		sleep 0.05
	done
	return 1
}

# ---- the guest, by a signal no program survives ---------------------------------------

started run.wmk
kill -KILL "$guest"
ended
check "guest killed: so is the recorder" test "$status" -eq 137
check "guest killed: the trace is whole" "$WAYMARK" verify run.wmk
check "guest killed: its last loop is in it" \
	sh -c '"$0" blocks run.wmk | tail -n 100 | grep -q " main"' "$WAYMARK"

# ---- the recorder, asked to end: it passes that on ------------------------------------

started run.wmk
kill -TERM "$recorder"
ended
check "recorder asked to end: as the guest would" test "$status" -eq 143
check "recorder asked to end: the guest is gone" gone "$guest"
check "recorder asked to end: the trace is whole" "$WAYMARK" verify run.wmk

# ---- the recorder, killed: the guest runs on ------------------------------------------

started run.wmk
kill -KILL "$recorder"
ended
sleep 0.5
check "recorder killed: the guest runs on" kill -0 "$guest"
kill -KILL "$guest" 2>/dev/null || true
gone "$guest" || true
run "$WAYMARK" verify run.wmk
check "recorder killed: the file says it is cut short" \
	sh -c 'test "$0" -eq 1 && grep -q "cut short" stdout' "$status"
run "$WAYMARK" info run.wmk --format json
check "recorder killed: info serves it" grep -q '"complete": false' stdout
finish
