#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Events between the lines of a listing: they are those of `events`, where these say; and
# the lines are the same with and without them.

# shellcheck source=tests/cli/common
. "$(dirname "$0")/../common"

"$WAYMARK" record -o run.wmk "$GUESTS/signal.O3" >/dev/null || true
for command in blocks insns; do
	"$WAYMARK" $command run.wmk >shown
	"$WAYMARK" $command run.wmk --no-events >plain
	grep -v '^#' shown >lines
	same "$command: text has the same lines without events" plain lines
	"$WAYMARK" $command run.wmk --events --format jsonl >shown
	"$WAYMARK" $command run.wmk --format jsonl >plain
	grep -v '"event"' shown >lines
	same "$command: json lines, too" plain lines
	grep '"event"' shown >events
	"$WAYMARK" events run.wmk --thread 0 --format jsonl >wanted
	same "$command: json lines have the events" wanted events
done
"$WAYMARK" insns run.wmk | sed -n 's/^#  *//p' >comments
"$WAYMARK" events run.wmk --thread 0 | sed 1d | sed -E 's/^ *[0-9]+ +[0-9]+ +[0-9.]+  //' >wanted
same "text has the words of events" wanted comments
check "each event is at its ordinal" \
	"$PYTHON" "$SRC/tests/cli/listing/events_facts.py" each_is_where_it_says "$WAYMARK"

# One after the other, pieces are the whole; a call and its return are in one piece.
"$WAYMARK" insns run.wmk >whole
total=$(grep -vc '^#' whole)
: >pieces
for first in $(seq 0 5000 "$total"); do
	"$WAYMARK" insns run.wmk --from "$first" --to $((first + 5000)) >>pieces
done
same "pieces add up to the whole listing" whole pieces

# What stands behind the last instruction is before the end.
for command in blocks insns; do
	"$WAYMARK" $command run.wmk >whole
	total=$(grep -vc '^#' whole)
	"$WAYMARK" $command run.wmk --to "$total" >shown
	same "$command: to the number of all is to the end" whole shown
	"$WAYMARK" $command run.wmk --to $((total - 1)) >shown
	grep '^#' shown >comments || true
	check "$command: one less is not" test "$(grep -c '^#' comments)" -lt "$(grep -c '^#' whole)"
done
"$WAYMARK" events run.wmk --thread 0 >whole
"$WAYMARK" events run.wmk --thread 0 --to "$total" >shown
same "events to the number of all" whole shown
for format in qemu execlog spike csv; do
	"$WAYMARK" insns run.wmk --format $format >shown
	check "$format is pure" sh -c "! grep -qE '^#|rt_sigaction' shown"
done
finish
