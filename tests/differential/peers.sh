#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# What Waymark is measured against is what it says: the published scheme, in the same run,
# retraces to the same blocks.

# shellcheck source=tests/differential/common
. "$(dirname "$0")/common"

api=$("$SRC/tests/plugin-api.sh" "$QEMU")
plugin=$BUILD/bench/libwaymark-published-v$api.so

# same PROGRAM
same() {
	"$WAYMARK" record --qemu "$QEMU" -o run.wmk --qemu-arg -plugin \
		--qemu-arg "$plugin,out=$PWD/peer" "$GUESTS/$1" >out 2>err </dev/null || true
	"$PYTHON" "$SRC/bench/peers/retrace.py" peer >theirs
	"$WAYMARK" blocks --format pc run.wmk >ours
	if [ -s ours ] && cmp -s ours theirs; then
		passed "$1" "$(wc -l <ours) blocks, $(wc -c <peer.bin) bytes"
	else
		failed "$1" "$(diff ours theirs | head -n 5; cat err)"
	fi
}

for program in qsort.O3 switch.O3 longjmp.O3 signal.O3 qsort.O0; do
	same $program
done
exit $((failures > 0))
