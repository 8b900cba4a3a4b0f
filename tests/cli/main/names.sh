#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Names come from anywhere: of a thread, a program, its folder, its functions, what it opens,
# its arguments. None begins a line of a text or gives a terminal an order, and JSON and CSV
# have them as they are.

# shellcheck source=tests/cli/common
. "$(dirname "$0")/../common"

CC=${CROSS_CC:-riscv64-linux-gnu-gcc}

cat >guest.c <<'END'
#include <fcntl.h>
#include <sys/prctl.h>

__attribute__((noinline)) int work(int n)
{
	volatile int x = n;

	for (int i = 0; i < 10; i++)
		x = x * 3 + i;
	return x;
}

int main(int argc, char **argv)
{
	(void)argv;
	prctl(PR_SET_NAME, "th\nFORGED\033[3");
	open("/no\nFORGED\033[31m", O_RDONLY);
	return work(argc) == 1;
}
END
folder=$(printf 'folder\nFORGED\033[31m\t')
function=$(printf 'fun\nFORGED\033[31m')
mkdir "$folder"
"$CC" -O1 -static -o plain guest.c
"${CC%gcc}objcopy" --redefine-sym "work=$function" plain "$folder/guest"
"$WAYMARK" record -o run.wmk '--events=*' "$folder/guest" "$(printf 'word\nFORGED\033')"

# told COMMAND...: nothing of a name begins a line, or is a control character.
told() {
	run "$WAYMARK" "$@" run.wmk
	cat stdout stderr >all
	if [ -s stdout ] && ! grep -aqE '^ *FORGED' all &&
		! LC_ALL=C tr -d '\n\t' <all | LC_ALL=C grep -aq '[[:cntrl:]]'; then
		passed "$*"
	else
		failed "$*" "$(grep -aE -B 1 '^ *FORGED' all | head -n 4)"
	fi
}

told info
told insns
told insns --events
told insns --format spike
told insns --format jsonl
told blocks
told events
told calls
told calls --tree
told hot
told hot --by block
told cover
told annotate 'fun*'
told cfg
told diff run.wmk
told info --format json
told calls --tree --format json
told hot --format json

cp "$SRC/tests/cli/main/exact.py" .
run "$PYTHON" exact.py "$WAYMARK" "$function" "$folder"
check "JSON and CSV have them as they are $(cat stderr)" test "$status" -eq 0

# Formats of other programs have names as they are, too, but not on a terminal. Graphviz takes
# no text of more than 16,384 bytes.
"$CC" -g -O1 -static -o plain guest.c
"${CC%gcc}objcopy" --redefine-sym "work=$(printf 'fun\033[31m%020000d' 0)" plain long
"$WAYMARK" record -o long.wmk ./long
check "lcov has a name as it is" \
	sh -c '"$0" cover --format lcov long.wmk | grep -q "fun$(printf "\\033")\[31m0000"' "$WAYMARK"
script -qec "'$WAYMARK' cover --format lcov long.wmk" /dev/null </dev/null >typed
check "a terminal gets it without its order" grep -q 'fun?\[31m0000' typed
"$WAYMARK" cfg --function 'fun*' --format dot long.wmk >long.dot 2>stderr
check "a graph has as much of a long name as graphviz takes" \
	sh -c 'grep -q "fun?\[31m0000" long.dot && ! LC_ALL=C grep -qE "(.{8192}){2}" long.dot'

# What is typed may come from the name of a file, too, which a pattern of the shell has put there.
misused "an option's value gives no order" '--format takes *"?\[31m??3"' \
	"$WAYMARK" hot "$(printf -- '--format=\033[31m\302\2333')" run.wmk
misused "nor does an option" "*'--f?\[31m'" \
	"$WAYMARK" hot "$(printf -- '--f\033[31m')" run.wmk

# The reason comes after the name, however long that is.
long=$(printf '%0255d' 0)
refused "a long name to write: the reason is said" '*: File name too long' \
	"$WAYMARK" record -o "$long" ./plain
refused "a long name to read: the reason is said" '*: No such file or directory' \
	"$WAYMARK" info "$long"
exit $((failures > 0))
