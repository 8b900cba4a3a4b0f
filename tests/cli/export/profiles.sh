#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Folded stacks, and profiles of pprof as pprof reads them: each function has the
# instructions, and the total, that `waymark calls` says.

# shellcheck source=tests/cli/common
. "$(dirname "$0")/../common"
# shellcheck source=tests/cli/export/traces
. "$(dirname "$0")/traces"

# agrees TRACE [OPTION...]
agrees() {
	"$WAYMARK" export folded "$@" -o out.folded 2>errors
	check "folded: $*" facts profile_facts folded out.folded "$@"
	"$WAYMARK" export pprof "$@" -o out.pprof 2>>errors
	check "pprof: $*" facts profile_facts pprof_raw out.pprof "$@"
	check "no complaints: $*" test ! -s errors
}

for trace in inlined throws threads handlers gaps; do
	agrees $trace.wmk
done
for trace in inlined throws threads; do
	"$WAYMARK" export pprof $trace.wmk -o out.pprof
	check "pprof: lines: $trace" facts profile_facts pprof_lines out.pprof $trace.wmk
done
# Without stubs, which profiles of callgrind do not show.
for trace in inlined threads; do
	"$WAYMARK" export pprof $trace.wmk -o out.pprof
	check "pprof: lines of calls: $trace" facts profile_facts pprof_calls out.pprof $trace.wmk
done
check "pprof -list" sh -c "go tool pprof -list '^leaf\$' out.pprof 2>/dev/null |
	grep -qE '^ +[0-9]+ +[0-9]+ +[0-9]+:'"
agrees threads.wmk --thread 1
agrees inlined.wmk --no-inline
agrees inlined.wmk --from 1000 --to 20001
agrees inlined.wmk --from 1000 --to 1001
"$WAYMARK" export pprof inlined.wmk -o out.pprof
check "pprof -top" facts profile_facts pprof_top out.pprof inlined.wmk
check "the program comes first" sh -c "go tool pprof -top out.pprof 2>/dev/null |
	grep -qx 'File: inlined'"

# Recursion 5,000 deep has more frames than are written.
for format in folded pprof; do
	run "$WAYMARK" export $format deep.wmk
	check "too deep: $format" test "$status" -eq 0
	check "and it is said: $format" \
		grep -qxE 'waymark: calls deeper than [0-9]+ levels count for their callers' stderr
done
"$WAYMARK" export folded deep.wmk -o out.folded 2>errors
check "nothing is lost of it" test "$(awk '{ sum += $NF } END { print sum }' out.folded)" = \
	"$("$WAYMARK" info deep.wmk | sed -n 's/,//g; s/^instructions *//p')"

# Two traces: the numbers of each are those of its own folded stacks.
for other in inlined throws nothing; do
	"$WAYMARK" export folded inlined.wmk --from 1000 -o this.folded
	"$WAYMARK" export folded $other.wmk --from 1000 -o other.folded
	run "$WAYMARK" export folded inlined.wmk --from 1000 --against $other.wmk -o both.folded
	check "against $other" test "$status" -eq 0 -a ! -s stderr
	check "both numbers: $other" facts profile_facts folded_both both.folded \
		other.folded this.folded
done
misused "--against with another format" "--against is for --format folded*" \
	"$WAYMARK" calls inlined.wmk --format pprof --against throws.wmk
misused "-n with a profile" "-n is for the calls of a timeline; folded is a profile*" \
	"$WAYMARK" calls inlined.wmk --format folded -n 5
misused "--against with a table" "--against is for --format folded*" \
	"$WAYMARK" calls inlined.wmk --against throws.wmk
refused "against no file" "cannot open none.wmk: *" \
	"$WAYMARK" calls inlined.wmk --format folded --against none.wmk

for file in nothing.wmk "inlined.wmk --from 999999999"; do
	# shellcheck disable=SC2086 # words
	run "$WAYMARK" export folded $file
	check "folded: nothing ran: $file" test "$status" -eq 0 -a ! -s stdout
	# shellcheck disable=SC2086 # words
	"$WAYMARK" export pprof $file -o out.pprof
	check "pprof: nothing ran: $file" sh -c "go tool pprof -raw out.pprof >/dev/null"
done
run sh -c "'$WAYMARK' export pprof inlined.wmk >/dev/full"
check "full disk" test "$status" -eq 2 -a -s stderr
finish
