#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Finished files of a recording that goes on, and an end before the guest's.

# shellcheck source=tests/cli/ctl/common
. "$(dirname "$0")/common"
build_steps

ctl() { run "$WAYMARK" ctl "$@"; }

# ---- snapshots ---------------------------------------------------------------

begin run --pack
step
ctl snapshot
check "a snapshot has a name" test -s run.1.wmk
check "the name is printed" grep -q "^$PWD/run.1.wmk: .* instructions, " stdout
step b
ctl run.wmk snapshot
check "the next one another" test -s run.2.wmk
mkdir there
(cd there && "$WAYMARK" ctl snapshot own.wmk >out)
check "a snapshot has the name that is given" test -s there/own.wmk
refused "not that of the recording" '*must not replace the recording itself' \
	"$WAYMARK" ctl snapshot run.wmk
refused "nor one that cannot be" 'cannot write */none/x.wmk: *' \
	"$WAYMARK" ctl snapshot none/x.wmk
refused "nor a device" 'cannot write /dev/null: not a regular file' \
	"$WAYMARK" ctl snapshot /dev/null
echo old >old.wmk
ctl snapshot old.wmk
check "an old file is replaced" "$WAYMARK" info old.wmk
step c
end
check "no temporary file is left" test -z "$(find . -name '*.wmk.*')"
listed run.wmk
for file in run.1.wmk run.2.wmk there/own.wmk old.wmk; do
	check "$file is complete" sh -c '"$WAYMARK" verify "$1" | grep -q "complete and sound"' \
		- $file
	listed $file
	starts "$file is the beginning of the recording" $file run.wmk
	run "$WAYMARK" info $file
	check "$file is marked as a snapshot" grep -qx 'ended          as a snapshot; it ran on' stdout
	check "$file has the names of code" grep -q ' packed ' stdout
done
check "later ones have more" test "$(stat -c %s run.1.wmk)" -lt "$(stat -c %s run.2.wmk)"
run "$WAYMARK" info run.wmk
check "the recording itself has ended otherwise" grep -qx 'ended          exit status 7' stdout

# ---- stop --------------------------------------------------------------------

begin short
step
"$WAYMARK" ctl flush >said
cp short.wmk before.wmk
ctl stop
check "stop prints the size of the recording" grep -q "short.wmk: .* instructions, " stdout
cp short.wmk at-once.wmk
check "the file is complete at once" \
	sh -c '"$WAYMARK" verify at-once.wmk | grep -q "complete and sound"'
run "$WAYMARK" info short.wmk
check "the file has the reason for its end" grep -qx 'ended          by waymark ctl stop; it ran on' stdout
listed before.wmk
listed short.wmk
same "it has what ran until then" before.wmk.insns short.wmk.insns
same "and its events" before.wmk.events short.wmk.events
ctl status
check "the recorder's state is stopped" grep -qx 'state          stopped' stdout
refused "it cannot be turned on again" 'the recording was stopped: it cannot go on' \
	"$WAYMARK" ctl on
refused "nor off" 'the recording was stopped: it cannot go on' "$WAYMARK" ctl off
refused "nor stopped again" 'the recording was stopped before' "$WAYMARK" ctl stop
refused "nor cut" 'the recording was stopped: its file is complete' "$WAYMARK" ctl snapshot
ctl flush
check "to flush is no error" test "$status" -eq 0
for byte in b c d; do step $byte; done
end
check "the guest ran on, and its status is the recorder's" test "$ended" -eq 7
check "the file is what it was" cmp -s short.wmk at-once.wmk
check "the guest's output is the same as untraced" \
	sh -c 'printf abcd | "$1" ./steps | cmp -s - short.out' - "$QEMU"
finish
