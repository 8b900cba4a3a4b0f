#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# What results, colours, names and progress look like; every.sh has what all commands take.

# shellcheck source=tests/cli/common
. "$(dirname "$0")/../common"

run "$WAYMARK" -V
check "-V" grep -qE '^waymark [0-9.]+$' stdout
run "$WAYMARK" --no-pager -q --color=never -h
check "in front of the command" grep -q '^Usage' stdout
misused "no such time for colours" '*--color takes auto, always or never*' "$WAYMARK" hot --color=red

# ---- where results go ---------------------------------------------------------

"$WAYMARK" record -o run.wmk "$GUESTS/status.O0" || true
for words in hot "insns --count 20" "events" "calls --tree" info "mix --format csv" "diff run.wmk" \
	"export pc" "cfg --format dot"; do
	# shellcheck disable=SC2086 # words they are
	"$WAYMARK" $words run.wmk >wanted
	# shellcheck disable=SC2086
	run "$WAYMARK" $words run.wmk -o written
	same "$words -o" wanted written
	check "$words -o prints nothing" test ! -s stdout
done
echo old >written
run "$WAYMARK" hot nothing.wmk -o written
check "a failure leaves the old file" grep -qx old written
refused "a folder that is not there" "cannot write none/x: *" "$WAYMARK" hot run.wmk -o none/x
run "$WAYMARK" hot run.wmk -o /dev/full
check "a full disk" test "$status" -eq 2
check "a full disk is told" grep -q 'cannot write /dev/full: No space' stderr
cp run.wmk whole.wmk
ln -s whole.wmk link.wmk
for words in "hot -o whole.wmk run.wmk" "insns -o whole.wmk whole.wmk" "calls -o link.wmk run.wmk" \
	"report -o whole.wmk run.wmk" "export callgrind -o whole.wmk run.wmk" \
	"cover --lcov whole.wmk run.wmk"; do
	# shellcheck disable=SC2086 # words they are
	refused "$words: a trace stays" '*.wmk is a trace, and a result does not replace one*' \
		"$WAYMARK" $words
done
same "the trace is what it was" run.wmk whole.wmk
check "nothing is left beside" sh -c '! ls | grep -q "written\\."'

# ---- quiet, colours -----------------------------------------------------------

head -c 3000 run.wmk >cut.wmk
run "$WAYMARK" hot cut.wmk
check "a remark" test -s stderr
run "$WAYMARK" hot -q cut.wmk
check "-q: no remark" test -s stdout -a ! -s stderr
run "$WAYMARK" hot -q nothing.wmk
check "-q: errors stay" test -s stderr

escape=$(printf '\033')
run "$WAYMARK" hot --color run.wmk
check "--color: always" grep -q "$escape" stdout
run "$WAYMARK" hot run.wmk
check "auto: not in a file" sh -c "! grep -q '$escape' stdout"
cp "$SRC/tests/cli/main/on_terminal.py" .
# coloured VARIABLE... -- WORD...: what a terminal, or a pager on it, gets of `hot`.
coloured() {
	timeout "$GUARD" env TERM=xterm WAYMARK_PAGER=cat "$@" </dev/null >shown 2>stderr
	grep -q "$escape" shown
}
not() { ! "$@"; }
hot="$PYTHON on_terminal.py $WAYMARK hot run.wmk"
# shellcheck disable=SC2086 # words they are
{
	check "auto: on a terminal" coloured $hot
	check "--color=never" not coloured $hot --color=never
	check "NO_COLOR" not coloured NO_COLOR=1 $hot
	check "--color=always overrules it" coloured NO_COLOR=1 $hot --color=always
	check "a terminal without colours" not coloured TERM=dumb $hot
	mkdir bin
	printf '#!/bin/sh\ncat\n' >bin/less
	chmod +x bin/less
	check "less without -R" not coloured LESS=FX WAYMARK_PAGER="$PWD/bin/less" $hot
	check "less with R in LESS" coloured LESS=FRX WAYMARK_PAGER="$PWD/bin/less" $hot
	check "less with -R" coloured LESS=FX WAYMARK_PAGER="$PWD/bin/less -R" $hot
	check "another pager" coloured LESS=FX WAYMARK_PAGER="tr a a" $hot
	coloured WAYMARK_PAGER="cat >paged" $hot --no-pager || true
	check "--no-pager" test ! -e paged
}

# ---- names that are longer than a line ------------------------------------------

cat >long.cc <<'END'
#include <map>
#include <string>

namespace shop
{
template <class Key, class Value> struct catalogue {
	__attribute__((noinline)) int count(const std::map<Key, Value> &of, int times)
	{
		int sum = 0;
		for (int i = 0; i < times; i++)
			sum += (int)of.size() * i;
		return sum;
	}
};
}

int main()
{
	std::map<std::string, std::map<std::string, long>> all;
	shop::catalogue<std::string, std::map<std::string, long>> catalogue;

	all["one"]["two"] = 3;
	return catalogue.count(all, 100000) & 1;
}
END
"${CROSS_CXX:-riscv64-linux-gnu-g++}" -O1 -static -o long long.cc
"$WAYMARK" record -o long.wmk ./long || true
# widest WORD...: the longest line that a terminal of 90 columns gets.
widest() {
	timeout "$GUARD" env TERM=dumb WAYMARK_PAGER=cat "$PYTHON" on_terminal.py sh -c \
		"stty cols ${terminal-90}; $*" </dev/null >shown
	sed 's/…/./g' shown | awk '{ if (length($0) > most) most = length($0) } END { print most }'
}
check "names fit the terminal" test "$(widest "$WAYMARK" hot -n 5 long.wmk)" -le 90
check "the function is still known" grep -q 'shop::catalogue<.*>::count(' shown
check "--full-names" test "$(widest "$WAYMARK" hot -n 5 --full-names long.wmk)" -gt 150
check "in front" test "$(widest "$WAYMARK" --full-names hot -n 5 long.wmk)" -gt 150
check "call trees fit" test "$(widest "$WAYMARK" calls --tree -F main -D 3 -n 30 long.wmk)" -le 90
check "and have the function" grep -q 'shop::catalogue<.*>::count(' shown
check "call trees with --full-names" \
	test "$(widest "$WAYMARK" calls --tree -F main -D 3 -n 30 --full-names long.wmk)" -gt 150
check "columns fit, too" test "$(widest "$WAYMARK" calls -n 5 long.wmk)" -le 90
check "those that have no room are told" \
	grep -qE '^waymark: no room for [a-z_, ]*max_insns \(-f prints them\)' shown
check "they are not printed" sh -c 'grep -q total_insns shown && ! grep -q "calls.*max_insns" shown'
columns=function,self_insns,total_insns,calls,open,min_insns,mean_insns,max_insns
widest "$WAYMARK" calls -n 5 -f $columns long.wmk >/dev/null
check "what -f names is printed" grep -q 'calls  *open  *min_insns  *mean_insns  *max_insns' shown
terminal=80
for words in "bpred --by branch -n 3" "cfg --loops -n 3" "diff --by function -n 3 run.wmk"; do
	check "$words fits 80 columns" \
		test "$(widest "$WAYMARK" -q "$words" long.wmk "|| true")" -le 80 # diff's status is 1
	check "and has rows" test "$(grep -c . shown)" -ge 3
done
unset terminal
"$WAYMARK" calls -n 5 long.wmk >piped 2>err
check "a pipe gets all" sh -c 'grep -q max_insns piped && ! test -s err'
timeout "$GUARD" env TERM=dumb WAYMARK_PAGER='cat; sleep 0.1; echo the end' "$PYTHON" \
	on_terminal.py sh -c "stty cols 90; $WAYMARK calls long.wmk" </dev/null >shown
check "remarks come when the pager has ended" sh -c 'tail -n 2 shown | head -n 1 | grep -qx "the end"'
"$WAYMARK" record --mem -o memory.wmk ./long || true
terminal=80
for words in "cache --by object -n 3" "cache --by level" "cache --by interval -n 3" \
	"mem --working-set -n 3"; do
	check "$words fits 80 columns" test "$(widest "$WAYMARK" -q "$words" memory.wmk)" -le 80
	check "and has rows" test "$(grep -c . shown)" -ge 2
done
unset terminal
check "names of memory's owners fit, too" \
	test "$(widest "$WAYMARK" mem --by object -f object,accesses memory.wmk)" -le 90
check "and the owners are known" grep -q 'frames of std::_Rb_tree<.*>::' shown
"$WAYMARK" mem --by object --format json -f object memory.wmk |
	sed -n 's/.*"object": "frames of \(.*\)".*/\1/p' >owners
"$WAYMARK" hot --no-inline --format json -f function memory.wmk |
	sed -n 's/.*"function": "\(.*\)".*/\1/p' >functions
check "some have 500 letters and more" grep -qE '.{500}' owners
check "a pipe has the whole names of owners" sh -c '! grep -vxFf functions owners'
"$WAYMARK" hot -n 5 long.wmk >piped
check "a pipe has the whole names" grep -q 'catalogue<std::__cxx11::basic_string<char, .*int)  long$' piped

# ---- what a run depends on ----------------------------------------------------

QEMU_CPU=rv64 "$WAYMARK" record -o cpu.wmk --qemu-arg -cpu --qemu-arg rv64,v=false \
	"$GUESTS/status.O0" || true
"$WAYMARK" info cpu.wmk >info
check "info has QEMU's options" grep -qx 'options *-cpu rv64,v=false' info
check "info has QEMU's environment" grep -qx 'environment *QEMU_CPU=rv64' info
"$WAYMARK" info --format json cpu.wmk >info
check "and in JSON" grep -q '"qemu_environment": *"QEMU_CPU=rv64"' info

printf 'int main(void) { __asm__ volatile(".word 0"); }\n' >illegal.c
"${CROSS_CC:-riscv64-linux-gnu-gcc}" -static -o illegal illegal.c
run "$WAYMARK" record -o illegal.wmk ./illegal
check "SIGILL: the CPU model" grep -q 'illegal instruction.*QEMU_CPU=max.*QEMU_CPU=rv64,v=true' stderr

# ---- a long listing through a pipe ----------------------------------------------

cat >wide.py <<'END'
"""Fails unless `waymark insns` has made its pipe wide, or may not."""
import fcntl, os, subprocess, sys

F_GETPIPE_SZ, WIDE = 1032, 1 << 20
with subprocess.Popen([os.environ["WAYMARK"], "insns", sys.argv[1]],
                      stdout=subprocess.PIPE) as listing:
    begin = listing.stdout.read(1)
    bytes_held = fcntl.fcntl(listing.stdout, F_GETPIPE_SZ)
    rest = listing.stdout.read()
may = int(open("/proc/sys/fs/pipe-max-size").read())
print(bytes_held, len(rest))
sys.exit(not (begin and len(rest) > WIDE and bytes_held >= min(WIDE, may)))
END
export WAYMARK
check "a long listing has a wide pipe" "$PYTHON" wide.py long.wmk

# ---- the line of progress beside a guest's output -------------------------------

cat >ticks.c <<'END'
#include <stdio.h>
#include <unistd.h>

int main(void)
{
	for (int i = 0; i < 60; i++) {
		printf("tick ");
		fflush(stdout);
		usleep(50000);
		printf("%d\n", i);
	}
	/* A busy terminal shows the line of progress late. */
	while (access("seen", F_OK))
		usleep(50000);
}
END
"${CROSS_CC:-riscv64-linux-gnu-gcc}" -static -o ticks ticks.c
screen() { tmux -L "habits$$" "$@"; }
# shown_now PATTERN: the terminal shows it.
shown_now() { screen capture-pane -p | grep -q "$1"; }
screen -f /dev/null new-session -d -x 70 -y 12 "$WAYMARK record -o ticks.wmk ./ticks; echo ended; sleep 1000"
check "the line is in the last row" until_true sh -c \
	"tmux -L habits$$ capture-pane -p | tail -n 1 | grep -q 'M blocks/s'"
: >seen
check "the guest's output goes on" until_true shown_now '^ended'
screen capture-pane -p -S - | grep -vE '^(ended|waymark: .*)?$' >shown
screen kill-server
i=0
while [ $i -lt 60 ]; do echo "tick $i"; i=$((i + 1)); done >wanted
same "the line collides with nothing" wanted shown
finish
