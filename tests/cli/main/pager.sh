#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The pager: only on a terminal, the right one, and gone when the command is.

# shellcheck source=tests/cli/common
. "$(dirname "$0")/../common"

"$WAYMARK" record -o run.wmk "$GUESTS/status.O3" >/dev/null || true
"$WAYMARK" insns run.wmk --count 500 >wanted

# on_terminal WORD...: the command with a terminal for stdout; what it shows, and $status.
cp "$SRC/tests/cli/main/on_terminal.py" .
on_terminal() {
	status=0
	timeout "$GUARD" env "$@" </dev/null >shown 2>stderr || status=$?
}

on_terminal WAYMARK_PAGER='cat >paged' PAGER=false "$PYTHON" on_terminal.py \
	"$WAYMARK" insns run.wmk --count 500
check "WAYMARK_PAGER comes first" cmp -s wanted paged
check "the status stays the command's" test "$status" -eq 0
rm -f paged

on_terminal PAGER='sed s/^/paged:/ >paged' "$PYTHON" on_terminal.py \
	"$WAYMARK" blocks run.wmk --count 500
check "then PAGER" test "$(grep -c ^paged: paged)" -eq 500
rm -f paged

on_terminal WAYMARK_PAGER= PAGER='cat >paged' "$PYTHON" on_terminal.py \
	"$WAYMARK" insns run.wmk --count 500
check "empty: none" cmp -s wanted shown
check "empty: none at all" test ! -e paged

# A pager that is slow to end: the command must not end before it.
on_terminal WAYMARK_PAGER='cat >/dev/null; sleep 0.3; echo done >paged' "$PYTHON" \
	on_terminal.py "$WAYMARK" info run.wmk
check "the pager ends first" test -s paged
rm -f paged

# One that quits at once: no complaint.
on_terminal WAYMARK_PAGER=true "$PYTHON" on_terminal.py "$WAYMARK" insns run.wmk
check "quitting the pager is quiet" test ! -s shown -a ! -s stderr

# One that cannot start: the output comes anyway, however much there is, and however late that
# is known.
touch no-program
for pager in nothing-of-this-name ./no-program "sleep 0.3; ./no-program"; do
	for count in 1 500 20000; do
		PAGER= "$WAYMARK" insns run.wmk --count $count >unpaged
		on_terminal WAYMARK_PAGER="$pager" "$PYTHON" on_terminal.py \
			"$WAYMARK" insns run.wmk --count $count
		check "$pager, $count lines: the status is the command's" test "$status" -eq 0
		grep -vE "^waymark: |${pager##* }: " shown >printed
		same "$pager, $count lines: all is printed" unpaged printed
		check "$pager, $count lines: why" \
			grep -q "^waymark: the pager \"$pager\" cannot be started" shown
	done
done

# Errors do not go there.
on_terminal WAYMARK_PAGER='cat >paged' "$PYTHON" on_terminal.py "$WAYMARK" insns nothing.wmk
check "errors need no pager" test "$status" -eq 2 -a ! -e paged

WAYMARK_PAGER='cat >paged' "$WAYMARK" insns run.wmk --count 500 >stdout
check "no terminal, no pager" test ! -e paged
same "no terminal, same text" wanted stdout

if command -v less >/dev/null; then
	on_terminal TERM=xterm LINES=50 "$PYTHON" on_terminal.py "$WAYMARK" info run.wmk
	check "less shows a short text and ends" grep -q '^instructions' shown
fi

# Bytes that are no text may be orders to a terminal, and no pager shows them either.
"$WAYMARK" record --mem -o mem.wmk "$GUESTS/status.O3" >/dev/null || true
binary() {
	on_terminal WAYMARK_PAGER=cat "$PYTHON" on_terminal.py "$WAYMARK" "$@"
	check "$*: not to a terminal" sh -c \
		"test $status -eq 2 && grep -q 'is binary, and standard output is a terminal' shown"
	"$WAYMARK" "$@" >raw 2>remark
	check "$*: into a pipe" test -s raw
}
binary packets run.wmk
binary packets --format ntrace run.wmk
binary cover --drcov - run.wmk
for format in pprof perfetto uftrace ctf champsim; do
	binary export $format mem.wmk
done
on_terminal WAYMARK_PAGER=cat "$PYTHON" on_terminal.py "$WAYMARK" export pprof -o file mem.wmk
check "to a file from a terminal" test "$status" -eq 0 -a -s file
on_terminal WAYMARK_PAGER=cat "$PYTHON" on_terminal.py "$WAYMARK" export folded mem.wmk
check "text to a terminal" test "$status" -eq 0 -a -s shown
finish
