#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Wrong options, and outputs that go away.

# shellcheck source=tests/cli/common
. "$(dirname "$0")/../common"

"$WAYMARK" record -o run.wmk "$GUESTS/status.O3" >/dev/null || true

# usage NAME PATTERN WORD...: exit status 2 and the sentence; argp adds a line of advice.
usage() {
	name=$1 text=$2
	shift 2
	misused "$name" "$text" "$WAYMARK" "$@"
}

for command in blocks insns; do
	refused "$command: no place" 'run.wmk: no file of the run has a symbol "nowhere"' \
		"$WAYMARK" $command run.wmk --from nowhere
	usage "$command: negative" '--count takes a number, not "-1"' $command --count=-1
	usage "$command: too large" '*"18446744073709551616" is no place*' $command \
		--from 18446744073709551616
	usage "$command: letters" '*"1x" is no place in a run*' $command --from 1x
	usage "$command: two files" 'one trace at a time*' $command run.wmk other.wmk
	usage "$command: no such option" '*--frm*' $command --frm 3 run.wmk
	refused "$command: no such thread" 'run.wmk: there is no thread 1: the only one is 0' \
		"$WAYMARK" $command run.wmk --thread 1
	refused "$command: no such file" '*nothing.wmk*No such file*' \
		"$WAYMARK" $command nothing.wmk
	refused "$command: no waymark.wmk" '*waymark.wmk*No such file*' "$WAYMARK" $command
	refused "$command: a folder" '*' "$WAYMARK" $command .
	run sh -c "'$WAYMARK' $command run.wmk >/dev/full"
	check "$command: full disk" test "$status" -eq 2 -a -s stderr
	# A reader that leaves early does not matter.
	"$WAYMARK" $command run.wmk 2>stderr | head -n 1 >stdout
	check "$command: head" test -s stdout -a ! -s stderr
	status=0
	"$PYTHON" "$SRC/tests/cli/listing/refused_facts.py" reader_that_leaves \
		"$WAYMARK" $command run.wmk 2>stderr || status=$?
	check "$command: EPIPE is quiet" test "$status" -eq 0 -a ! -s stderr
done
usage "blocks: no such format" \
	'--format takes text, pc, csv, jsonl or ctf; "qemu" is a format of `waymark insns*' \
	blocks --format qemu
usage "insns: no such format" '--format takes text, qemu, execlog, spike, csv or jsonl*' \
	insns --format pc
usage "insns: no such format anywhere" '--format takes text, qemu*jsonl, not "pd"*' \
	insns --format pd

cp run.wmk waymark.wmk
"$WAYMARK" blocks run.wmk --count 9 >named
"$WAYMARK" blocks --count 9 >stdout
same "waymark.wmk is the default" named stdout
finish
