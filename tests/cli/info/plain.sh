#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Names in a trace that would be orders to a terminal are only printed.

# shellcheck source=tests/cli/common
. "$(dirname "$0")/../common"

cp "$SRC/tests/cli/info/evil.py" .
"$PYTHON" evil.py

# harmless NAME WORD...: it prints something, and nothing but text.
harmless() {
	what=$1
	shift
	run "$WAYMARK" "$@"
	cat stdout stderr | LC_ALL=C tr -d '\n\t -~\200-\377' >orders
	cat stdout stderr | LC_ALL=C grep -q "$(printf '\302[\200-\237]')" && echo C1 >>orders
	if [ -s stdout ] && [ ! -s orders ]; then
		passed "$what"
	else
		failed "$what" "$(od -c orders | head -n 3)" "$(head -n 3 stderr)"
	fi
}

harmless "info" info evil.wmk
harmless "info, JSON" info evil.wmk --format json
for format in text qemu execlog spike csv jsonl; do
	harmless "insns, $format" insns evil.wmk --count 3 --format $format
done
for format in text pc csv jsonl; do
	harmless "blocks, $format" blocks evil.wmk --count 3 --format $format
done
harmless "threads in the order of the clock" insns evil.wmk --interleave
for format in text csv jsonl; do
	harmless "events, $format" events evil.wmk --format $format
done
harmless "verify" verify evil.wmk
harmless "recover" recover evil.wmk
harmless "info of what was recovered" info evil.wmk.recovered
check "their names are printed without control characters" sh -c '"$0" info evil.wmk | grep -q "^command *command?\]0;title"' "$WAYMARK"
finish
