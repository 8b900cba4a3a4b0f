#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Files that are cut short, damaged, foreign or empty: an answer or an error, never a
# crash or a hang; and what comes before the damage is served.

# shellcheck source=tests/cli/common
. "$(dirname "$0")/../common"

"$WAYMARK" record -o run.wmk "$GUESTS/status.O3" >/dev/null || true
size=$(stat -c %s run.wmk)
# Addresses and code: when the disassembly is what was damaged, the rest is served.
place='cut -c1-39'
"$WAYMARK" insns run.wmk --format qemu | $place >whole
"$WAYMARK" verify run.wmk >/dev/null || failed "the file to damage is sound"

# sane COMMAND...: ends by itself, with one of our statuses, and a sentence if with 2.
sane() {
	run timeout "$GUARD" "$WAYMARK" "$@"
	[ "$status" -le 2 ] && { [ "$status" -ne 2 ] || [ -s stderr ]; }
}

# all_sane FILE: every command copes with it; what is listed is a beginning of the whole.
all_sane() {
	sane info "$1" || { why="info: $status"; return 1; }
	sane info --format json "$1" || { why="info json: $status"; return 1; }
	sane verify "$1" || { why="verify: $status"; return 1; }
	sane blocks "$1" || { why="blocks: $status"; return 1; }
	sane insns --format qemu "$1" || { why="insns: $status"; return 1; }
	$place <stdout >listed
	cmp listed whole >compared 2>&1 || grep -q "EOF on listed" compared ||
		{ why="insns lists something else: $(cat compared)"; return 1; }
}

# broken NAME: bad.wmk is not sound, and every command copes.
broken() {
	why=
	if ! all_sane bad.wmk; then
		failed "$1" "$why" "$(cat stderr)"
	elif sane verify bad.wmk && [ "$status" -eq 0 ]; then
		failed "$1" "verify finds it sound"
	else
		return 0
	fi
	cp bad.wmk "$BUILD/last-bad.wmk" 2>/dev/null || true
	return 1
}

shortened() {
	for keep in 1 7 8 16 40 64 100 200 $((size / 8)) $((size / 4)) $((size / 3)) \
		$((size / 2)) $((size * 3 / 4)) $((size - 100)) $((size - 40)) \
		$((size - 9)) $((size - 1)); do
		head -c "$keep" run.wmk >bad.wmk
		broken "cut to $keep bytes of $size" || return 0
	done
	passed "cut short"
}

# One byte in each of 100 places is changed.
flipped() {
	i=0
	while [ $i -lt 100 ]; do
		at=$((size * i / 100))
		i=$((i + 1))
		"$PYTHON" "$SRC/tests/cli/info/flip.py" run.wmk "$at" bad.wmk
		broken "byte $at of $size changed" || return 0
	done
	passed "a byte changed"
}

shortened
flipped

: >bad.wmk
broken "empty" && passed "empty"
head -c 5000 /dev/zero >bad.wmk
broken "zeros" && passed "zeros"
cp "$GUESTS/status.O3" bad.wmk
broken "another file" && passed "another file"
refused "info of another file" '*' "$WAYMARK" info bad.wmk
{ cat run.wmk; echo more; } >bad.wmk
why=
if all_sane bad.wmk; then passed "something appended"; else failed "something appended" "$why"; fi
finish
