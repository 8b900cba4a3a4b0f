#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Help, suggestions, manual pages and completion, and that they agree with each other.

# shellcheck source=tests/cli/common
. "$(dirname "$0")/../common"

commands=$("$WAYMARK" --help | sed -nE 's/^  ([a-z][a-z-]*)  .*/\1/p')

run "$WAYMARK"
check "no command: usage and status 2" test "$status" -eq 2 -a -s stderr -a ! -s stdout
run "$WAYMARK" --help
cp stdout help
check "--help" test "$status" -eq 0 -a ! -s stderr
for command in $commands; do
	check "--help names $command" grep -q "^  $command " help
done
check "--help does not name collect" sh -c '! grep -q collect help'
run "$WAYMARK" --version
check "--version" grep -qE '^waymark [0-9]+\.[0-9]+\.[0-9]+$' stdout
run "$WAYMARK" help
same "help is --help" help stdout

refused "a typing error" 'there is no command "inof"; did you mean "info"?' "$WAYMARK" inof
refused "another" '*did you mean "record"?' "$WAYMARK" recrod
refused "a short word that is another" '*"foo"; see waymark --help' "$WAYMARK" foo
refused "another word" '*see waymark --help' "$WAYMARK" frobnicate
refused "a program without a command" '*"./foo"; `waymark record ./foo` records a program' \
	"$WAYMARK" ./foo
"$WAYMARK" record -o run.wmk "$GUESTS/branches.O3" >/dev/null || true
refused "a trace without a command" '*"run.wmk"; `waymark info run.wmk` says what is in that trace' \
	"$WAYMARK" run.wmk
rm run.wmk
refused "help of nothing" '*did you mean "insns"?' "$WAYMARK" help insn

# options COMMAND: the long ones it takes.
options() {
	"$WAYMARK" "$1" --help | sed -nE 's/^ +(-[^ ].*)/\1/p' | sed 's/  .*//' |
		grep -oE -- '--[a-z0-9-]+' | sort -u |
		grep -vE '^--(usage|version|help|)$'
}

for command in $commands; do
	run "$WAYMARK" "$command" --help
	check "$command --help" test "$status" -eq 0 -a -s stdout -a ! -s stderr
	check "$command --help has no line of blanks" sh -c '! grep -qE "^ +$" stdout'
	check "$command --help names each argument once" sh -c \
		'! grep -E "^Usage:" stdout | tr -d "[]." | tr " " "\n" | grep . | sort | uniq -d | grep .'
	check "$command has no --by without -b" sh -c '! grep -qE "^ +--by=" stdout'
	page=$SRC/docs/man/waymark-$command.1.scd
	[ "$command" != help ] || page=$SRC/docs/man/waymark.1.scd
	check "$command: the manual has its exit status" grep -qx '# EXIT STATUS' "$page"
	for option in $(options "$command"); do
		check "$command $option has its manual" grep -qE -- "^\\*.*$option\\*" "$page" \
			"$SRC/docs/man/waymark.1.scd"
		check "$command $option completes (bash)" \
			grep -q -- "$option" "$SRC/completion/waymark.bash"
		check "$command $option completes (zsh)" \
			grep -q -- "$option" "$SRC/completion/_waymark"
	done
	check "the manual names $command" grep -qE "^\*waymark[ -]$command\*" "$SRC/docs/man/waymark.1.scd"
done

# ---- manual pages ------------------------------------------------------------

for page in "$SRC"/docs/man/*.scd; do
	name=$(basename "$page" .scd)
	check "$name builds" sh -c 'scdoc <"$1" >page.1 && test -s page.1' - "$page"
	check "$name is built" test -s "$BUILD/docs/man/$name"
	# scdoc underlines no part of a word: 0x_ADDRESS_ stays as it is.
	check "$name has no underscores that were to underline" \
		sh -c '! grep -E "(^|[^A-Za-z0-9\\_])[a-z0-9]+_[A-Za-z]+_([^A-Za-z0-9_]|$)" page.1'
done

# Tables of examples have the columns that the command has today.
cat >headings.awk <<'END'
/^\$ waymark [a-z]/ { command = $3; wanted = 1; next }
wanted && /^\t/ { next } # the command goes on
wanted && /^ *[a-z_]+( +[a-z_]+)+ *$/ { print command, $0 }
{ wanted = 0 }
END
awk -f headings.awk "$SRC"/docs/man/*.1.scd >headings
check "examples have headings" test "$(wc -l <headings)" -ge 5
while read -r command heading; do
	for by in "" function block line loop id graph; do
		"$WAYMARK" complete columns "$command" "$by"
	done | sort -u >columns
	[ -s columns ] || continue # its table is of two traces, or none
	for column in $heading; do
		check "$command: the manual's column $column" grep -qx "$column" columns
	done
done <headings
run "$WAYMARK" complete columns hot nothing
check "columns by nothing there is" test "$status" -eq 0 -a ! -s stdout

# A man of our own stands in for the real one.
mkdir bin
printf '#!/bin/sh\necho man "$@"\n' >bin/man
chmod +x bin/man
PATH=$PWD/bin:$PATH run "$WAYMARK" help insns
check "help shows the page" grep -q '^man /.*docs/man/waymark-insns\.1$' stdout
PATH=$PWD/bin:$PATH run "$WAYMARK" help waymark
check "and that of what all share" grep -q '^man /.*docs/man/waymark\.1$' stdout
rm bin/man
PATH=$PWD/bin run "$WAYMARK" help insns
check "help without man shows the options" grep -q -- '--count' stdout

# ---- bash completion ---------------------------------------------------------

cat >complete.bash <<'END'
source "$1"
shift
COMP_WORDS=("$@")
COMP_CWORD=$(($# - 1))
_waymark
printf '%s\n' "${COMPREPLY[@]}" | sort
END
# completes NAME WANTED WORD...
completes() {
	what=$1 wanted=$2
	shift 2
	got=$(bash complete.bash "$SRC/completion/waymark.bash" "$@" 2>&1 | xargs)
	if [ "$got" = "$wanted" ]; then
		passed "$what"
	else
		failed "$what" "wanted: $wanted" "got: $got"
	fi
}

# The value of an option is not the program, whose own options would follow.
for option in $("$WAYMARK" record --help | grep -oE -- '--[a-z-]+=' | tr -d =); do
	completes "record $option VALUE" "--precise" "$WAYMARK" record "$option" x --prec
	completes "record $option=VALUE" "--precise" "$WAYMARK" record "$option" = x --prec
done
completes "record: a program" "" "$WAYMARK" record x --prec
completes "where code is kept" "files" "$WAYMARK" record --code f
completes "with an equals sign" "files" "$WAYMARK" record --code = f
completes "behind an equals sign" "always auto never" waymark mix --color =

# What zsh's own functions are given.
cat >complete.zsh <<'END'
_arguments() { print -rl -- "$@" }
_describe() { : }
run() { local -a words=("$@"); local CURRENT=$#; source $file }
file=$1
shift
run "$@"
END
# words_only: of lines, the long options that they begin with or have behind "]" or ")".
words_only() {
	grep -oE -- "(^|[])*'])--[a-z][a-z0-9-]*" | grep -oE -- '--[a-z0-9-]*' |
		grep -vE '^--(help|version)$' | sort -u
}

: >a.wmk
: >q.txt
# Each command's own options, not only those that some command has.
for command in $commands; do
	of=$command
	case $command in
	help) continue ;;
	export) first=folded of=calls ;; # it has the options of the command of its format
	plot) first=hot ;;
	suite) first=run ;;
	import) first=spike ;;
	*) first= ;;
	esac
	options "$of" >all
	# What is exported has its format.
	grep -vx -- "$([ "$command" != export ] || echo --format)" all >taken
	# shellcheck disable=SC2086 # it may be empty
	bash complete.bash "$SRC/completion/waymark.bash" "$WAYMARK" "$command" $first -- |
		words_only >offered
	same "$command: all its options complete, and no others" taken offered
	command -v zsh >/dev/null || continue
	# shellcheck disable=SC2086 # it may be empty
	zsh -f complete.zsh "$SRC/completion/_waymark" "$WAYMARK" "$command" $first "" |
		words_only >offered
	same "$command: in zsh, too" all offered
done
completes "commands" "info insns" waymark in
completes "behind options" "info insns" waymark -q --no-pager in
completes "options in front" "--no-pager" waymark -q --no
completes "behind an option with a value" "insns" waymark -q --color = never ins
completes "the value of an option in front" "always auto" waymark --color = a
completes "of a command behind options" "executions" "$WAYMARK" -q --color = never hot -f exe
completes "formats" "csv execlog jsonl qemu spike text" "$WAYMARK" insns a.wmk --format ""
completes "formats to export" "insns-spike" "$WAYMARK" export insns-s
completes "by their short names" "spike" "$WAYMARK" export spi
completes "no short name that several formats have" "" "$WAYMARK" export jso
completes "options of a format's command" "--against" "$WAYMARK" export folded a.wmk --ag
completes "but for its name" "" "$WAYMARK" export folded --form
completes "a bound that is a marker" "marker:" waymark hot --from m
completes "options" "--color --count" waymark blocks --co
completes "traces" "a.wmk bin" waymark info ""
completes "what all take" "--quiet" waymark mix --qu
completes "when to use colours" "always auto" waymark mix --color a
completes "modes" "hypervisor" waymark hot --mode hy
completes "columns" "executions" "$WAYMARK" hot -f exe
completes "columns of another table" "address" "$WAYMARK" hot --by block -s addr
completes "the last of several columns" "insns,share" "$WAYMARK" hot -f insns,sh
"$WAYMARK" record -o names.wmk "$GUESTS/status.O0" || true
completes "functions" "main" "$WAYMARK" hot names.wmk --function mai
mv names.wmk waymark.wmk
completes "a function to annotate" "main" "$WAYMARK" annotate mai
completes "events and calls" "clock_settime clock_settime64" "$WAYMARK" events --only clock_set
cp "$GUESTS/marks.O3" marked
"$WAYMARK" record -q -o waymark.wmk ./marked >/dev/null || true
ids=$("$WAYMARK" marks --summary --format csv | sed -n 's/,.*//; 2,$p' | sort | xargs)
check "the guest has markers" test -n "$ids"
completes "markers" "$ids" "$WAYMARK" marks --id ""
completes "a place that is a marker" "$ids" "$WAYMARK" hot --from marker : ""
completes "a place that is a function" "main" "$WAYMARK" hot --from mai

# The same in fish, which has all options from --help.
# fish_completes NAME WANTED LINE
fish_completes() {
	got=$(PATH=$BUILD:$PATH fish --no-config -c "source $SRC/completion/waymark.fish
		complete -C '$3'" 2>&1 | cut -f 1 | sort | xargs)
	if [ "$got" = "$2" ]; then
		passed "fish: $1"
	else
		failed "fish: $1" "wanted: $2" "got: $got"
	fi
}
if command -v fish >/dev/null; then
	fish_completes "commands" "info insns" "waymark in"
	fish_completes "options" "--color --count" "waymark blocks --co"
	fish_completes "tables" "class extension mnemonic register size" "waymark mix --by "
	fish_completes "one after an equals sign" "--by=block --by=bytecode" "waymark hot --by=b"
	fish_completes "columns" "executions" "waymark hot -f exe"
	fish_completes "columns of another table" "address" "waymark hot --by block -s addr"
	fish_completes "the last of several columns" "insns,share" "waymark hot -f insns,sh"
	fish_completes "formats" "csv execlog jsonl qemu spike text" "waymark insns --format "
	fish_completes "formats to export" "insns-spike" "waymark export insns-s"
	fish_completes "options of a format's command" "--values" "waymark export spike --val"
	fish_completes "functions" "main" "waymark annotate mai"
	fish_completes "what is drawn" "phases" "waymark plot ph"
	fish_completes "what a suite does" "report run" "waymark suite r"
	fish_completes "records" "etrace execlog" "waymark import e"
	fish_completes "what is asked of a recording" "flush" "waymark ctl a.wmk fl"
	fish_completes "events and calls" "clock_settime clock_settime64" "waymark events --only clock_set"
	fish_completes "markers" "$ids" "waymark marks --id "
	fish_completes "traces" "a.wmk" "waymark info a.w"
fi
if command -v zsh >/dev/null; then
	check "zsh: it is read" zsh -n "$SRC/completion/_waymark"
	cat >.zshrc <<END
PS1='> '
PATH=$BUILD:\$PATH
fpath=($SRC/completion \$fpath)
autoload -Uz compinit
compinit -u -D
END
	screen() { tmux -L "help$$" "$@"; }
	screen -f /dev/null new-session -d -x 90 -y 20 "ZDOTDIR=$PWD zsh -d"
	# zsh_completes NAME SHOWN TYPED: a tab after it shows that.
	zsh_completes() {
		screen send-keys C-u
		screen send-keys -l "$3"
		screen send-keys Tab
		check "zsh: $1" until_true sh -c "tmux -L help$$ capture-pane -p | grep -q -- '$2'"
		screen send-keys C-c
	}
	until_true sh -c "tmux -L help$$ capture-pane -p | grep -q '^>'" || true
	zsh_completes "commands" "insns.*list the instructions" "waymark in"
	zsh_completes "tables" "block *bytecode" "waymark hot --by b"
	zsh_completes "columns" "-f insns,share" "waymark hot -f insns,sh"
	zsh_completes "functions" "annotate main" "waymark annotate mai"
	zsh_completes "formats to export" "export spike" "waymark export spi"
	zsh_completes "options of a format's command" "folded --against" "waymark export folded --ag"
	zsh_completes "what is asked of a recording" "ctl a.wmk flush" "waymark ctl a.wmk fl"
	check "zsh: without complaints" sh -c "! tmux -L help$$ capture-pane -p | grep 'bad option'"
	zsh_completes "markers" "--from marker:" "waymark hot --from mark"
	screen kill-server
fi
rm waymark.wmk
completes "a program to record" "q.txt" waymark record --qemu-arg x q
completes "the program's arguments" "a.wmk" waymark record ./prog a.
finish
