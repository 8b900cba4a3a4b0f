#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Profiles of callgrind: callgrind_annotate takes them without a word, and what it prints is
# what `waymark calls` and `waymark hot` say.

# shellcheck source=tests/cli/common
. "$(dirname "$0")/../common"
# shellcheck source=tests/cli/export/traces
. "$(dirname "$0")/traces"

# agrees TRACE [OPTION...]
agrees() {
	"$WAYMARK" export callgrind "$@" -o out.callgrind 2>errors
	check "no complaints: $*" test ! -s errors
	check "functions: $*" facts callgrind_facts self_of_each_function out.callgrind "$@"
	check "callers and callees: $*" \
		facts callgrind_facts calls_of_each_pair out.callgrind "$@"
}

for trace in inlined throws threads handlers deep gaps; do
	agrees $trace.wmk
done
agrees threads.wmk --thread 1
agrees inlined.wmk --from 1000 --to 20001
agrees inlined.wmk --from 1000 --to 1001
"$WAYMARK" export callgrind inlined.wmk -o out.callgrind
check "lines of source, and inlined ones" \
	facts callgrind_facts lines_of_source out.callgrind inlined.wmk
check "jumps" facts callgrind_facts jumps out.callgrind inlined.wmk
check "places of calls" facts callgrind_facts places_of_calls out.callgrind inlined.wmk
record cached --mem ./inlined
agrees cached.wmk
"$WAYMARK" export callgrind --no-inline cached.wmk -o out.callgrind # as cache counts
check "events of caches" facts callgrind_facts cache_events out.callgrind cached.wmk
for file in nothing.wmk "inlined.wmk --from 999999999"; do
	# shellcheck disable=SC2086 # words
	run "$WAYMARK" export callgrind $file
	check "nothing ran: $file" test "$status" -eq 0 -a -s stdout
	check "and no cost: $file" sh -c '! grep -q "^0x" stdout && grep -qx "totals: 0" stdout'
done
for words in --graph --tree "-s calls" "-f calls" "--function main"; do
	# shellcheck disable=SC2086 # words
	misused "not with $words" "--format callgrind takes no *" \
		"$WAYMARK" calls inlined.wmk --format callgrind $words
done
refused "no such thread" '*there is no thread called "nobody"*' \
	"$WAYMARK" export callgrind inlined.wmk --thread nobody
run sh -c "'$WAYMARK' export callgrind inlined.wmk >/dev/full"
check "full disk" test "$status" -eq 2 -a -s stderr
finish
