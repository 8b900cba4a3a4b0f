#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# --from and --count print the slice of the whole that they name.

# shellcheck source=tests/cli/common
. "$(dirname "$0")/../common"

"$WAYMARK" record -o run.wmk "$GUESTS/status.O3" >/dev/null || true

cp "$SRC/tests/cli/listing/slices.py" .
for what in "blocks pc" "blocks text" "insns qemu" "insns text" "insns jsonl"; do
	# shellcheck disable=SC2086 # two words
	check "slices of $what" "$PYTHON" slices.py "$WAYMARK" $what
done

# Across chunks, whose limits are at multiples of some power of two.
# shellcheck disable=SC2034 # eval uses it
sysroot=$("$SRC/tests/sysroot.sh")
eval "\"\$WAYMARK\" record -o long.wmk -L \"\$sysroot\" -- $("$SRC/tests/workload.sh" lua check)" \
	>/dev/null
chunks=$("$WAYMARK" info long.wmk --format json | sed -n 's/^  "chunks": \([0-9]*\),$/\1/p')
check "a long run has several chunks" test "$chunks" -gt 1
check "slices across chunks" \
	"$PYTHON" "$SRC/tests/cli/listing/seek_facts.py" slices_across_chunks "$WAYMARK"

# csv has a line more, always the first
"$WAYMARK" insns run.wmk --format csv >whole
"$WAYMARK" insns run.wmk --format csv --from 500 --count 20 >stdout
{ head -n 1 whole; sed -n '502,521p' whole; } >wanted
same "a slice of csv" wanted stdout

total=$("$WAYMARK" insns run.wmk --format qemu | wc -l)
refused "beyond the last instruction" "*$total*" "$WAYMARK" insns run.wmk --from $((total + 1))
refused "beyond the last block" '*' "$WAYMARK" blocks run.wmk --from $((total + 1))
refused "far beyond" '*' "$WAYMARK" insns run.wmk --from 18446744073709551615
finish
