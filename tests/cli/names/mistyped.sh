#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# A mistyped name of a column, a value, an event, a thread or a source file is answered with
# the one that was meant; what is near nothing, with a list of what exists.

# shellcheck source=tests/cli/common
. "$(dirname "$0")/../common"

"${CROSS_CC:-riscv64-linux-gnu-gcc}" -O2 -g -static -o program \
	"$SRC/tests/cli/names/inlined.c"
"$WAYMARK" record -o run.wmk ./program 7 >out

# meant WORD COMMAND...: the command is refused, and says that WORD was meant.
meant() {
	word=$1
	shift
	run "$WAYMARK" "$@"
	check "$*" test "$status" -eq 2
	check "$*: $word" grep -q "did you mean \"$word\"?" stderr
}

meant insns hot -f insn run.wmk
meant share hot -s shar run.wmk
meant executions annotate work run.wmk -f executoins
meant function hot --by fuction run.wmk
meant class mix --by clas run.wmk
meant line cover --by lin run.wmk
meant object mem --by objct run.wmk
meant function diff --by functoin run.wmk run.wmk
meant json hot --format jsn run.wmk
meant csv bytecodes --format cvs run.wmk
meant gshare bpred --predictor gshar,entries=1k run.wmk
meant phases plot phasse run.wmk
meant execlog import execlog2 run.wmk
meant program hot --thread progam run.wmk
meant callgrind export calgrind run.wmk
meant annotate anotate run.wmk
meant write insns --from syscall:wirte run.wmk
meant work insns --from wrok run.wmk
"$WAYMARK" calls --tree --filter sqare run.wmk 2>told >out
check "calls --filter: square" grep -q 'did you mean "square"?' told
meant inlined.c insns --from inlind.c:22 run.wmk
meant names/inlined.c insns --from names/inlind.c:22 run.wmk
meant inlined.c record -o none.wmk --start inlind.c:22 ./program
meant square record -o none.wmk --only sqare ./program
meant syscall record -o none.wmk --events sycsall ./program
refused "a function that is only inlined" \
	'*no function "square" ran; it is inlined into *(inlined.c:*' \
	"$WAYMARK" cfg --function square run.wmk
cat >twin.c <<'END'
__attribute__((noinline)) int first(int x) { return x + 1; }
int second(int x) __attribute__((weak, alias("first")));
int main(void) { return second(-1); }
END
"${CROSS_CC:-riscv64-linux-gnu-gcc}" -O1 -static -o twin twin.c
"$WAYMARK" record -o twin.wmk ./twin
refused "a second name of a function" \
	'*no function "second" ran; its code is called "first"' \
	"$WAYMARK" annotate second twin.wmk
run "$WAYMARK" hot -f xyzzy run.wmk
check "a column that is near nothing" grep -q 'no column "xyzzy"; there are insns, ' stderr
refused "a line without code" 'run.wmk: inlined.c has no code in line 1; the nearest *' \
	"$WAYMARK" insns --from inlined.c:1 run.wmk
refused "a source that is near nothing" '*known to come from line 1 of xyzzy.c; *' \
	"$WAYMARK" insns --from xyzzy.c:1 run.wmk
finish
