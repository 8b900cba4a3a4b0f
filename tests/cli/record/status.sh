#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# How the guest ends is how `waymark record` ends.

# shellcheck source=tests/cli/common
. "$(dirname "$0")/../common"


# ends HOW N: status or signal, and that the trace is whole.
ends() {
	name="$1 $2"
	wanted=$("$PYTHON" "$SRC/tests/cli/record/status_facts.py" status_of \
		"$QEMU" "$GUESTS/processes/die.O3" "$1" "$2")
	# subprocess tells a death by signal N, as -N, from exit status 128 + N.
	got=$("$PYTHON" "$SRC/tests/cli/record/status_facts.py" status_of \
		"$WAYMARK" record -o die.wmk "$GUESTS/processes/die.O3" "$1" "$2")
	if [ "$got" != "$wanted" ]; then
		failed "$name" "record: $got, qemu: $wanted"
	elif ! "$WAYMARK" verify die.wmk >verdict 2>&1; then
		failed "$name" "$(cat verdict)"
	else
		passed "$name"
	fi
	rm -f die.wmk
}

for number in 0 1 7 126 127 128 137 255; do
	ends exit $number
done
for number in 1 2 3 6 9 11 13 14 15; do
	ends signal $number
done

"$WAYMARK" record -o die.wmk "$GUESTS/processes/die.O3" signal 11 2>/dev/null || true
check "no core dump of our own" test "$(find . -name '*core*' | wc -l)" -eq 0
"$WAYMARK" info --format json die.wmk >info.json
check "info shows the signal" grep -q '"signal": 11' info.json
"$WAYMARK" record -o die.wmk "$GUESTS/processes/die.O3" exit 9 || true
"$WAYMARK" info --format json die.wmk >info.json
check "info shows the status" grep -q '"exit": 9' info.json
finish
