#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Old files decode for ever: what today's reader makes of each, against golden.expected.

set -eu
: "${WAYMARK:?run me through tests/run.sh}" "${SRC:?}"

# summary FILE: how many lines, which are the outer ones, and a hash of all.
summary() {
	echo "  $1: $(wc -l <"$1") lines, $(sha256sum <"$1" | cut -c 1-16)"
	sed -n '1s/^/    /p;$s/^/    /p' "$1"
}

# One of them has left code in a file.
XDG_CACHE_HOME=$SRC/tests/golden
export XDG_CACHE_HOME

for file in "$SRC"/tests/golden/*.wmk; do
	echo "$(basename "$file"): $(sha256sum <"$file" | cut -c 1-16)"
	"$WAYMARK" verify "$file" >/dev/null
	isa=$("$WAYMARK" info --format json "$file" | sed -n 's/.*"guest_isa": "\(.*\)".*/\1/p')
	threads=$("$WAYMARK" info --format json "$file" | grep -c '"generation"')
	for thread in $(seq 0 $((threads - 1))); do
		echo " thread $thread"
		"$WAYMARK" blocks --thread $thread --format pc "$file" >blocks
		summary blocks
		# The text of other ISAs' instructions is not ours.
		[ "${isa#riscv}" != "$isa" ] || continue
		"$WAYMARK" insns --thread $thread --format qemu "$file" >insns
		summary insns
	done
	"$WAYMARK" events "$file" >events
	[ "$(wc -l <events)" -lt 2 ] || summary events
	for what in "" --registers; do
		list=accesses${what:+-of-registers}
		# shellcheck disable=SC2086 # a word or none
		"$WAYMARK" mem $what --format csv "$file" >$list 2>/dev/null || continue
		[ "$(wc -l <$list)" -lt 2 ] || summary $list
	done
done
