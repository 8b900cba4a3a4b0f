#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Output that cannot be written: every command exits with 2 and names what it could not
# write, not the trace that it read.

# shellcheck source=tests/cli/common
. "$(dirname "$0")/../common"

"$WAYMARK" record -o run.wmk "$GUESTS/matmul.O3" >/dev/null
no_space="No space left on device"

# full WORD...: the command with its standard output on a full disk.
full() {
	status=0
	"$WAYMARK" "$@" >/dev/full 2>stderr </dev/null || status=$?
	grep -v '^waymark: of .* blocks the .* hottest are drawn' stderr >said || true
	printf 'waymark: cannot write standard output: %s\n' "$no_space" >wanted
	check "$*: exit status" [ "$status" -eq 2 ]
	same "$*: standard output is what failed" wanted said
}

full --help
full --version
full help
full record --help
full info run.wmk
full info run.wmk --format json
for command in blocks insns; do
	full $command run.wmk
	full $command run.wmk --count 1
	full $command run.wmk --format jsonl
done
full events run.wmk
full marks run.wmk -q
full marks run.wmk -q --summary
full hot run.wmk
full hot run.wmk --format csv
full hot run.wmk --format json
full annotate main run.wmk
full cover run.wmk
full mix run.wmk
full cfg run.wmk
full cfg run.wmk --format dot
full phases run.wmk --interval 20k
full phases run.wmk --interval 20k --format json
full calls run.wmk
full calls run.wmk --tree
full calls run.wmk --tree --format json
full bpred run.wmk
full plot hot run.wmk --script
full diff run.wmk run.wmk
full diff run.wmk run.wmk --format json
full diff run.wmk run.wmk --by function
full verify run.wmk
full doctor

# file NAME WORD...: a command that cannot write the file NAME.
file() {
	name=$1
	shift
	status=0
	"$WAYMARK" "$@" >/dev/null 2>stderr </dev/null || status=$?
	check "$*: exit status" [ "$status" -eq 2 ]
	check "$*: the file is what failed" grep -q "^waymark: cannot write $name: " stderr
}

ln -s /dev/full full.bb
ln -s /dev/full full.info
file full.bb phases run.wmk --interval 20k --simpoint full
file full.info cover run.wmk --lcov full.info
file none/x.info cover run.wmk --lcov none/x.info
file none/x.drcov cover run.wmk --drcov none/x.drcov
file none/x.bb phases run.wmk --interval 20k --simpoint none/x
file none/x.html report run.wmk --html none/x.html
head -c 3000 run.wmk >cut.wmk
file none/x.wmk recover cut.wmk -o none/x.wmk
file none/x.wmk cut run.wmk -o none/x.wmk
file none/x.wmk record -o none/x.wmk "$GUESTS/matmul.O3"
if command -v gnuplot >/dev/null; then
	mkdir -p figures/hot.svg
	file figures/hot.svg plot hot run.wmk -o figures/hot.svg
fi

# ---- signals while a file is written ------------------------------------------------------

# signalled SIGNAL: the command, which waits for a log, gets it when its file is there.
mkfifo log
signalled() {
	(exec "$WAYMARK" diff run.wmk --spike log -o result) 2>stderr &
	until_true sh -c 'ls result.??????' || echo "there is no file" >&2
	kill -"$1" $!
}
signalled TERM
status=0
wait $! || status=$?
check "ended: nothing is left" test "$status" -eq 143 -a "$(echo result*)" = 'result*'
trap '' HUP # as nohup does
signalled HUP
"$WAYMARK" insns --format spike run.wmk >all
timeout "$GUARD" sh -c 'cat all >log'
status=0
wait $! || status=$?
check "a hangup that is ignored stays ignored" grep -q '^identical' result

# A trace that is not complete goes, too. It may be complete before the signal comes.
for part in 1 2 3 4 5 6 7 8 9 10; do cat all; done >many
"$WAYMARK" import spike many -o made.wmk 2>stderr &
until_true sh -c 'ls made.wmk*'
kill -TERM $! 2>/dev/null || true
wait $! || true
check "import, ended: nothing unfinished is left" test "$(echo made.wmk.*)" = 'made.wmk.*'

# ---- closed descriptors ------------------------------------------------------

# No file takes the place of a descriptor that is closed, to be written into by mistake.
"$WAYMARK" packets run.wmk -o wanted 2>said
for closed in '>&-' '2>&-' '<&- >&- 2>&-'; do
	sh -c "\"\$0\" packets run.wmk -o got $closed" "$WAYMARK" 2>/dev/null || true
	check "closed, $closed: the result is whole, and nothing else" cmp wanted got
	rm -f got
done
for command in "info run.wmk" "export folded run.wmk" "hot run.wmk"; do
	# shellcheck disable=SC2086 # words
	run sh -c '"$0" "$@" >&-' "$WAYMARK" $command
	check "closed, $command: exit status" [ "$status" -eq 2 ]
	check "closed, $command: says so" \
		grep -q 'cannot write standard output: Bad file descriptor' stderr
done
finish
