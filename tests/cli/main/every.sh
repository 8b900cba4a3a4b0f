#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The habits of every command that `waymark --help` lists. words_of() has a row for each; a
# command without a row fails, so that a new one cannot forget any of them.

# shellcheck source=tests/cli/common
. "$(dirname "$0")/../common"

# words_of COMMAND: how it is asked for a result without a trace. Nothing for those that read
# no trace or write a file of their own.
words_of() {
	case $1 in
	insns | blocks | events | marks | hot | calls | cover | mix | cfg | phases | bpred | mem | \
		cache | info | verify | packets | boot | bytecodes) echo "$1" ;;
	annotate) echo "annotate main" ;;
	browse) echo "browse --keys n" ;;
	sql) echo "sql --format csv" ;;
	plot) echo "plot hot --script" ;;
	diff) echo "diff run.wmk" ;;
	export) echo "export insns-spike" ;;
	cut) echo "cut -o part.wmk" ;;
	recover) echo "recover -o whole.wmk" ;;
	report) echo "report" ;;
	import) echo "import spike" ;;
	merge) echo "merge" ;;
	suite) echo "suite report" ;;
	top) echo "top --batch -n 1" ;;
	record | ctl | doctor | setup-qemu | help) ;;
	*) return 1 ;;
	esac
}

"$WAYMARK" record --mem -o run.wmk "$GUESTS/status.O0" || true
: >empty.wmk
mkdir folder.wmk
printf 'This is no trace, but a text that is as long as the head of one.%100s\n' >text.wmk
ln -s loop.wmk loop.wmk

commands=$("$WAYMARK" --help | sed -nE 's/^  ([a-z][a-z-]*)  .*/\1/p')
check "--help lists commands" test "$(echo "$commands" | wc -l)" -gt 30

# one_line NAME STATUS: of the last run: this exit status, one line on stderr, and no result.
one_line() {
	if [ "$status" -eq "$2" ] && [ ! -s stdout ] && [ "$(wc -l <stderr)" -eq 1 ] &&
		grep -q '^waymark[a-z -]*: ..' stderr; then
		passed "$1"
	else
		failed "$1" "exit status $status" "$(cat stderr)"
	fi
}

# options COMMAND: what all commands take.
options() {
	run "$WAYMARK" "$1" --help
	cp stdout long
	check "$1 --help" test "$status" -eq 0 -a ! -s stderr
	check "$1 --help begins with its usage" grep -qE "^Usage: waymark $1( |\$)" long
	run "$WAYMARK" "$1" -h
	same "$1 -h is --help" long stdout
	for option in -V --version; do
		run "$WAYMARK" "$1" $option
		check "$1 $option" grep -qxE 'waymark [0-9.]+' stdout
	done
	all="-q --quiet --no-pager --full-names --color --color=auto --color=always --color=never"
	# shellcheck disable=SC2086 # words they are
	{
		run "$WAYMARK" "$1" $all --help
		same "$1 $all" long stdout
		run "$WAYMARK" $all "$1" --help
		same "$all in front of $1" long stdout
	}
	check "$1 -o" grep -qE -- '(-o.*|^ +)--output' long
	misused "$1: no such time for colours" '--color takes auto, always or never, not "red"' \
		"$WAYMARK" "$1" --color=red
	run "$WAYMARK" "$1" --no-such-option
	check "$1: no such option" test "$status" -eq 2 -a ! -s stdout
	check "and it is named" grep -q "no-such-option" stderr
	format=
	[ "$1" != export ] || format=folded # it comes first
	# shellcheck disable=SC2086 # a word or none
	misused "$1: almost an option" 'there is no option "--no-pagr"; did you mean "--no-pager"?' \
		"$WAYMARK" "$1" $format --no-pagr
	"$WAYMARK" "$1" --help >/dev/full 2>stderr || status=$?
	: >stdout
	one_line "$1 --help on a full disk" 2
}

# inputs COMMAND WORD...: files that are no trace.
inputs() {
	command=$1
	shift
	for file in nothing.wmk empty.wmk folder.wmk text.wmk loop.wmk run.wmk/below; do
		case $command:$file in
		# The file is what is wrong, not the way to it.
		verify:empty.wmk | verify:text.wmk | recover:empty.wmk | recover:text.wmk) wanted=1 ;;
		*) wanted=2 ;;
		esac
		case $command in
		sql) run "$WAYMARK" "$@" $file "SELECT 1" ;;
		*) run "$WAYMARK" "$@" $file ;;
		esac
		one_line "$command $file" $wanted
		check "and it is named" grep -q "${file%/below}" stderr
	done
}

# outputs COMMAND WORD...: a result that nobody can take.
outputs() {
	command=$1
	shift
	case $command in
	sql) set -- "$@" run.wmk "SELECT address FROM insns" ;;
	*) set -- "$@" run.wmk ;;
	esac
	run "$WAYMARK" -q "$@"
	cp stdout result
	if [ "$status" -ne 0 ]; then
		# It is of other traces: of a machine, of a managed program.
		one_line "$command: why there is no answer" 2
		return
	fi
	check "$command -q: results only" test -s result -a ! -s stderr
	{ "$WAYMARK" -q "$@" 2>stderr || echo $? >>stderr; } | head -c 0
	check "$command: nobody reads it" test "$(grep -cvx 141 stderr)" -eq 0
	status=0
	"$WAYMARK" -q "$@" >/dev/full 2>stderr || status=$?
	: >stdout
	one_line "$command: a full disk" 2
	check "it is standard output" grep -q 'cannot write standard output: No space' stderr
	[ "$command" != plot ] || return 0 # -o is the figure
	run "$WAYMARK" -q "$@" -o written
	same "$command -o" result written
	check "$command -o prints nothing" test ! -s stdout
	run "$WAYMARK" -q "$@" -o /dev/full
	one_line "$command -o /dev/full" 2
	run "$WAYMARK" -q "$@" -o none/written
	one_line "$command -o into no folder" 2
}

for command in $commands; do
	if ! words=$(words_of "$command"); then
		failed "$command has a row in this test"
		continue
	fi
	options "$command"
	[ -n "$words" ] || continue
	# shellcheck disable=SC2086 # words they are
	inputs "$command" $words
	case $command in
	cut | recover | report | import | merge | suite | top) continue ;; # no text as a result
	esac
	# shellcheck disable=SC2086
	outputs "$command" $words
done

# No file is named.
mkdir without
cd without
run "$WAYMARK" hot
one_line "no trace is named, and there is none" 2
check "and what to do" grep -q 'cannot open waymark.wmk.*; `waymark record` makes it' stderr
run "$WAYMARK" hot ""
one_line "an empty name" 2
check "and that it is empty" grep -q 'the name of the trace is empty' stderr
cd ..

# Those that write a file of their own.
head -c 3000 run.wmk >damaged.wmk
for words in "cut -o none/written run.wmk" "recover -o none/written damaged.wmk" \
	"report -o none/written run.wmk" "record -o none/written $GUESTS/status.O0"; do
	# shellcheck disable=SC2086 # words they are
	run "$WAYMARK" -q $words
	one_line "${words%% *} -o into no folder" 2
done

# ---- options that are almost there --------------------------------------------------

refused "in front of a command" 'there is no option "--no-pagr" in front*"--no-pager"?' \
	"$WAYMARK" --no-pagr hot
misused "with a value" 'there is no option "--frm"; did you mean "--from"?' \
	"$WAYMARK" hot --frm=main run.wmk
misused "before the program" 'there is no option "--evnts"; did you mean "--events"?' \
	"$WAYMARK" record --evnts x ./none --frm
refused "an argument of another option" '*thread*"--frm"*' "$WAYMARK" hot --thread --frm run.wmk
refused "an option of the guest" '*./none*' "$WAYMARK" record ./none --evnts
refused "behind --" '*--frm*' "$WAYMARK" hot -- --frm
misused "several begin so" "*ambiguous*" "$WAYMARK" hot --f main run.wmk
misused "nothing is near" "unrecognized option*" "$WAYMARK" hot --zzzzzz run.wmk

# ---- columns ----------------------------------------------------------------------

# columns WORD...: the heading of the text is that of the CSV, and each word of it can be asked
# for and sorted by.
columns() {
	"$WAYMARK" "$@" -n 3 --format csv run.wmk | sed -n 1p | tr ',' ' ' >wanted
	"$WAYMARK" "$@" -n 3 run.wmk | sed -n '1{s/^ *//; s/  */ /g; p}' >heading
	same "$*: the heading" wanted heading
	for column in $(cat wanted); do
		run "$WAYMARK" "$@" -n 3 -s "$column" -f "$column" run.wmk
		check "$*: $column" test "$(sed -n '1{s/ //g; p}' stdout)" = "$column"
	done
}

# tables COMMAND: one for each word that its --by takes, which the error lists; but for those
# of managed programs.
tables() {
	"$WAYMARK" "$1" --by nothing run.wmk 2>&1 |
		sed -nE 's/.*--by takes (.*), not "nothing".*/\1/p' | sed 's/,/ /g; s/ or / /g' |
		xargs -n 1 | grep -vxE "method|bytecode$([ "$1" = cover ] || echo '|source')" || true
}
for command in $commands; do
	"$WAYMARK" "$command" --help >long
	grep -q -- '--fields' long || continue
	case $command in
	suite | boot) continue ;; # need other things than a trace; their own tests have them
	annotate) columns annotate main ;;
	diff) for by in $(tables diff); do columns diff run.wmk --by "$by"; done ;;
	cfg) columns cfg --loops ;;
	cache)
		for by in $(tables cache); do columns cache --by "$by" --interval 10k; done
		;;
	calls)
		columns calls
		columns calls --graph
		;;
	mix)
		for by in $(tables mix); do columns mix --by "$by"; done
		columns mix --per function
		columns mix --per interval --interval 10k
		;;
	mem)
		for by in $(tables mem); do columns mem --by "$by"; done
		columns mem
		columns mem --reuse
		columns mem --working-set --interval 10k
		;;
	phases) columns phases --interval 10k ;;
	*)
		words=$(tables "$command")
		check "$command --by lists its tables" test -n "$words"
		for by in $words; do columns "$command" --by "$by"; done
		;;
	esac
done
finish
