#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Processes that the first one leaves behind; and what becomes of an earlier trace.

# shellcheck source=tests/cli/common
. "$(dirname "$0")/../common"

"${CROSS_CC:-riscv64-linux-gnu-gcc}" -static -O1 -o orphan "$SRC/tests/cli/record/orphan.c"
mkfifo go

# said FILE WORD: waits until the program has said that.
said() { until grep -qsx "$2" "$1"; do sleep 0.05; done; }

# ---- they are not waited for -------------------------------------------------

run "$WAYMARK" record ./orphan "$PWD/go"
check "first: the status is the first one's" test "$status" -eq 4
check "first: it is said who is left" grep -qE \
	'incomplete: the program left processes behind .*: [0-9]+ \(orphan\)$' stderr
said stdout alone
check "first: the child runs on" sh -c '! grep -qx done stdout'
: >go
said stdout done
run "$WAYMARK" verify
check "first: verify says so" sh -c \
	'test "$0" -eq 1 && grep -q "cut short: the program left processes behind" stdout' "$status"
run "$WAYMARK" info
check "first: info says so" grep -qE '^complete +no: the program left processes behind' stdout
check "first: it knows both processes" test "$(grep -c ' orphan$' stdout)" -ge 2
run "$WAYMARK" record --strict ./orphan "$PWD/go"
check "strict: that is an error" test "$status" -eq 2
said stdout alone
: >go

# ---- they are ----------------------------------------------------------------

"$WAYMARK" record --wait=all ./orphan "$PWD/go" >out 2>err &
guest=$!
said out alone
check "all: the first process has ended" sh -c \
	'grep -q "^State:.Z" /proc/$0/status' "$guest"
check "all: its parent does not know yet" kill -0 "$guest"
: >go
status=0
wait "$guest" || status=$?
check "all: the status is the first one's" test "$status" -eq 4
check "all: the child ended before" grep -qx done out
check "all: nothing is missing" sh -c '! test -s err && "$0" verify' "$WAYMARK"
cp "$SRC/tests/cli/record/waits.py" .
check "all: a terminal is told" "$PYTHON" waits.py "$WAYMARK" record --wait=all ./orphan go
misused "neither" '--wait takes first or all, not "some"' "$WAYMARK" record --wait=some ./orphan

# ---- an earlier trace --------------------------------------------------------

guest=$GUESTS/status.O3
rm -f ./*.wmk*
printf one >run.wmk
run "$WAYMARK" record -o run.wmk --only process:nobody "$guest"
check "nothing recorded: the earlier file is there" test "$(cat run.wmk)" = one
check "nothing recorded: and nothing else" test "$(ls run.wmk*)" = run.wmk
refused "no program: the earlier file is there" '*no such program*' \
	"$WAYMARK" record -o run.wmk ./absent
check "no program: it is" test "$(cat run.wmk)" = one
run "$WAYMARK" record -o run.wmk "$guest"
check "recorded: the earlier file has another name" test "$(cat run.wmk.old)" = one
mv run.wmk first.wmk
cp first.wmk run.wmk
run "$WAYMARK" record -o run.wmk "$guest"
check "again: it is the one before" cmp -s first.wmk run.wmk.old
check "again: there are two" test "$(ls run.wmk*)" = "run.wmk
run.wmk.old"
finish
