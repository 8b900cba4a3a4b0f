#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The path in the Common Trace Format: babeltrace2 reads every block at its position, as
# `waymark blocks` lists them.

# shellcheck source=tests/cli/common
. "$(dirname "$0")/../common"

# Lines "position address insns function" of a listing; a gap has a position alone.
listed() {
	"$WAYMARK" blocks "$@" --format csv | "$PYTHON" -c '
import csv, sys
insns = None
for row in csv.DictReader(sys.stdin):
    print(int(row["address"], 16), row["insns"], row["symbol"] or "[unknown]")'
}

# The same from babeltrace2, whose times are checked to be the sum of the instructions before.
read_back() {
	babeltrace2 --clock-seconds --no-delta "$1" | "$PYTHON" -c '
import re, sys
position = None
for line in sys.stdin:
    m = re.match(r"\[(\d+)\.(\d{9})\] (?:\S+ )?(block|gap):", line)
    assert m, line
    at = int(m[1]) * 10**9 + int(m[2])
    assert position is None or at == position, (at, position, line)
    if m[3] == "gap":
        position = None
        continue
    m = re.search(r"\{ address = (0x[0-9A-F]+), insns = (\d+), function = \"(.*)\" \}", line)
    assert m, line
    position = at + int(m[2])
    print(int(m[1], 16), m[2], m[3])'
}

# agrees TRACE [OPTION...]
agrees() {
	run "$WAYMARK" export ctf "$@" -o out.tar
	check "export: $*" test "$status" -eq 0 -a ! -s stderr
	rm -rf ctf
	tar xf out.tar
	listed "$@" >wanted
	read_back ctf >got
	same "babeltrace2 reads it: $*" wanted got
}

"$WAYMARK" record -o signal.wmk "$GUESTS/signal.O3" >/dev/null
"$WAYMARK" record --only main -o gaps.wmk "$GUESTS/fnptr.O0" >/dev/null
agrees signal.wmk
agrees signal.wmk --from 100 --to 2000
agrees signal.wmk -n 7
agrees gaps.wmk -n 3000
"$WAYMARK" export ctf signal.wmk -n 1 -o one.tar
check "an archive that tar lists" sh -c \
	'[ "$(tar tf one.tar | xargs)" = "ctf/metadata ctf/thread_0" ]'
misused "no threads mixed" '*--interleave*' "$WAYMARK" blocks signal.wmk --format ctf --interleave
printf 'int main(void)\n{\n\tfor (volatile int i = 0; i < 2100000; i++)\n\t\t;\n}\n' >long.c
"${CROSS_CC:-riscv64-linux-gnu-gcc}" -O1 -static -o long long.c
"$WAYMARK" record -o long.wmk ./long
run "$WAYMARK" export ctf long.wmk -o long.tar
check "blocks that have no place are told" \
	grep -q '^waymark: only the first 2,000,000 blocks are written' stderr
cat >named.cc <<'END'
namespace shop {
template <class T> __attribute__((noinline)) T sum(T n) { return n ? n + sum(n - 1) : n; }
}
int main() { return (int)shop::sum(3L) - 6; }
END
"${CROSS_CXX:-riscv64-linux-gnu-g++}" -O0 -static -o named named.cc
"$WAYMARK" record -o named.wmk ./named
"$WAYMARK" export ctf named.wmk -o named.tar
rm -rf ctf
tar xf named.tar
check "names are those of the source" sh -c \
	'babeltrace2 ctf | grep -q "function = \"long shop::sum<long>(long)\""'
run sh -c "'$WAYMARK' export ctf signal.wmk >/dev/full"
check "full disk" test "$status" -eq 2 -a -s stderr
finish
