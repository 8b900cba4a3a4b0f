#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Asking a recording that runs: which one is meant, how it is, what it has written.

# shellcheck source=tests/cli/ctl/common
. "$(dirname "$0")/common"
build_steps

ctl() { run "$WAYMARK" ctl "$@"; }

# One of the same user's that runs without the variable: none of what is asked for here.
XDG_RUNTIME_DIR='' begin elsewhere
other=$guest
exec 6>&3
refused "nothing runs here" 'no recording runs' "$WAYMARK" ctl status
check "it is reached by its name" "$WAYMARK" ctl elsewhere.wmk status
misused "no command" 'no command is given: status, * or events' "$WAYMARK" ctl
misused "no such command" 'COMMAND is status, * or events, not "sample"' "$WAYMARK" ctl sample
misused "a typing error" '*did you mean "flush"?' "$WAYMARK" ctl flsh
misused "another" '*did you mean "events"?' "$WAYMARK" ctl event
misused "too much" '*on takes no argument; what names the recording comes before it' "$WAYMARK" ctl on now
misused "too many files" '*snapshot takes one file; what names*' "$WAYMARK" ctl snapshot a b
refused "a process that is not recorded" 'process 1 is not being recorded*' \
	"$WAYMARK" ctl 1 status
refused "a file that is not recorded" 'steps is not being recorded*' \
	"$WAYMARK" ctl steps status
refused "a file that is not there" 'none.wmk is not being recorded*' \
	"$WAYMARK" ctl none.wmk status

# ---- one that runs -----------------------------------------------------------

begin run
step
ctl status
check "the only one here is meant" grep -qx "recorder       process $recorder" stdout
check "it records" grep -qx 'state          recording' stdout
check "into its file" grep -qx "file           $PWD/run.wmk" stdout
check "the guest's process is named" grep -qE "^ *0 +$guest  \./steps$" stdout
check "and its thread" grep -qE '^ +0 +0 +[0-9]+ +[0-9,]+ +[0-9,]+  steps$' stdout
for name in "$recorder" "$guest" run.wmk "./run.wmk" "$PWD/run.wmk"; do
	ctl "$name" status
	check "named by $name" grep -qx "recorder       process $recorder" stdout
done
ln -s run.wmk link.wmk
ctl link.wmk status
check "named by a link to it" grep -qx "recorder       process $recorder" stdout
(
	unset XDG_RUNTIME_DIR
	run "$WAYMARK" ctl "$recorder" status
	[ "$status" -eq 2 ]
) && passed "where the variable is another, it is another place" ||
	failed "where the variable is another, it is another place"
ctl status --format json
check "as JSON" "$PYTHON" "$SRC/tests/cli/ctl/ctl_facts.py" as_json "$recorder" "$guest"
said=$(sed -n 's/.*"instructions": \([0-9]*\).*/\1/p' stdout | head -n 1)

# ---- flushes -----------------------------------------------------------------

ctl flush
check "flush prints the size of the recording" grep -q "run.wmk: .* instructions, " stdout
cp run.wmk one.wmk
listed one.wmk
run "$WAYMARK" info --format json run.wmk
check "the file has the instructions that were printed" grep -q "\"instructions\": $said," stdout
check "info shows that the recording goes on" grep -q '"cut": "it is still being recorded"' stdout
run "$WAYMARK" verify run.wmk
check "verify shows that the recording goes on" \
	grep -q 'sound as far as it goes, but cut short: it is still being recorded' stdout
for byte in a b c d e f g h i j k l m n o p q r s t; do
	step $byte
	"$WAYMARK" ctl flush >flushed
done
cp run.wmk many.wmk
listed many.wmk
end
check "the guest's status is its own" test "$ended" -eq 7
listed run.wmk
starts "the first flush is a beginning of the trace" one.wmk run.wmk
starts "the last flush is a beginning of the trace" many.wmk run.wmk
check "the last flush is not the whole trace" test "$(wc -l <many.wmk.insns)" -lt "$(wc -l <run.wmk.insns)"
check "the whole is sound" sh -c '"$WAYMARK" verify run.wmk | grep -q "complete and sound"'
check "the socket is gone" test -z "$(ls runtime/waymark)"

# ---- two ---------------------------------------------------------------------

: >all
begin one
first=$guest
exec 4>&3
begin two
refused "two recordings: one must be named" '2 recordings run; name one by its process id or file:*' \
	sh -c '"$WAYMARK" ctl status 2>all; status=$?; head -n 1 all >&2; exit $status'
check "they are listed" sh -c "grep -q '$first  $PWD/one.wmk' all && grep -q 'two.wmk' all"
ctl one.wmk flush
check "flush of one of two" grep -q '/one.wmk: ' stdout
ctl "$recorder" flush
check "flush of the other" grep -q '/two.wmk: ' stdout
end
exec 4>&- 6>&-
wait "$first" "$other" || true
finish
