#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Things that are no traces and no logs: an error each, soon, and without much memory.

# shellcheck source=tests/cli/common
. "$(dirname "$0")/../common"

cp "$SRC/tests/golden/v1.wmk" run.wmk
mkfifo pipe
verify="timeout $GUARD $WAYMARK verify"

# What verify takes as a trace.
for file in pipe . /dev/zero /dev/null; do
	# shellcheck disable=SC2086 # words
	refused "a trace that is $file" "*$file: not a regular file" $verify "$file"
	refused "$file for a listing" "*$file: not a regular file" \
		timeout "$GUARD" "$WAYMARK" insns "$file"
done
refused "no trace at all" '*cannot open nothing.wmk: No such file*' \
	timeout "$GUARD" "$WAYMARK" verify nothing.wmk

# Nothing is wrong with a trace of a newer format.
"$PYTHON" "$SRC/tests/cli/verify/inputs_facts.py" make_newer run.wmk
for command in verify recover info; do
	refused "$command of a newer format" '*newer.wmk: a trace of format 2 *: a newer waymark reads it' \
		"$WAYMARK" $command newer.wmk
done

# What it takes as a log.
# bad_log NAME PATTERN FILE
bad_log() {
	# shellcheck disable=SC2086 # words
	refused "$1" "$2" $verify run.wmk --against "$3"
}
bad_log "no log" '*cannot open nothing: No such file*' nothing
bad_log "a folder as a log" '*cannot read the log: Is a directory' .
bad_log "an empty log" '*no Trace line*' /dev/null
bad_log "zeros without end" '*a line of more than a megabyte*' /dev/zero
bad_log "lines without end" '*not QEMU*log*' /dev/urandom
"$PYTHON" "$SRC/tests/cli/verify/inputs_facts.py" make_logs
bad_log "a line of megabytes" '*a line of more than a megabyte*' long-line
bad_log "a block of megabytes" '*a block of more than a megabyte*' long-block
bad_log "thousands of CPUs" '*is not as QEMU writes it*' many
bad_log "the trace as its log" '*' run.wmk
for log in /dev/null run.wmk; do
	# shellcheck disable=SC2086 # words
	refused "a pipe for a trace, and $log" '*' $verify pipe --against "$log"
done

# ---- small files that ask for much -------------------------------------------

cp "$SRC/tests/cli/verify/bombs.py" .
"$PYTHON" bombs.py
# One processor and 1.5 GB for whoever looks at them.
cp "$SRC/tests/cli/verify/bounded.py" .
for bomb in facts blocks texts loops known headers gap; do
	for command in info verify "insns --count 5" recover; do
		status=0
		# shellcheck disable=SC2086 # words
		"$PYTHON" bounded.py timeout "$GUARD" "$WAYMARK" $command $bomb.wmk >out 2>err || status=$?
		rm -f ./*.recovered
		check "$command of $bomb" test "$status" -le 2 -a -z "$(grep 'out of memory' err)"
	done
done
finish
