#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# What the plugin says when the collector is gone: on the stderr that the recording was started
# with, and nowhere else. A guest may have a file of its own in its place.

# shellcheck source=tests/cli/common
. "$(dirname "$0")/../common"

"${CROSS_CC:-riscv64-linux-gnu-gcc}" -std=gnu17 -O1 -static -o notices \
	"$SRC/tests/cli/record/notices.c"
mkfifo to from said

# bereaved FILE: the guest with FILE in place of its stderr loses its collector; what came
# through the pipe that was its stderr is in ./said.got.
bereaved() {
	rm -f run.wmk
	cat said >said.got &
	reader=$!
	"$WAYMARK" record --qemu "$QEMU" -o run.wmk -- ./notices "$1" <to >from 2>said &
	recorder=$!
	exec 3>to 4<from
	read -r pid <&4
	collector=$("$SRC/tests/collector.sh" "$pid" | cut -d / -f 3)
	until_true test -e run.wmk # there is none before something of the run is known
	kill -KILL "$collector"
	echo >&3
	wait "$recorder" 2>/dev/null || true
	wait "$reader" # until the guest, which had the pipe, has ended
	exec 3>&- 4<&-
	while kill -0 "$pid" 2>/dev/null; do sleep 0.05; done
	run "$WAYMARK" verify run.wmk
	check "$1: the trace is incomplete" test "$status" -eq 1
}

bereaved -
check "its own stderr: one line" \
	test "$(cat said.got)" = "waymark: the collector is gone; the guest runs on untraced"

echo data >wanted
bereaved data
check "a file in its place: it has what the guest wrote" cmp -s data wanted
check "a file in its place: nothing is said" test ! -s said.got

# A regular file from the start may have somebody's data, too.
"$WAYMARK" record --qemu "$QEMU" -o run.wmk -- ./notices - <to >from 2>file &
recorder=$!
exec 3>to 4<from
read -r pid <&4
kill -KILL "$("$SRC/tests/collector.sh" "$pid" | cut -d / -f 3)"
echo >&3
wait "$recorder" 2>/dev/null || true
while kill -0 "$pid" 2>/dev/null; do sleep 0.05; done
exec 3>&- 4<&-
check "a file from the start: nothing is said" test ! -s file
finish
