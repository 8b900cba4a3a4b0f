#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Commits of programs against those of a real Spike: every instruction, every address and
# what was stored and loaded there, and every register that was written.

# shellcheck source=tests/cli/common
. "$SRC/tests/cli/common"
# shellcheck source=tests/cli/diff/spike/programs
. "$SRC/tests/cli/diff/spike/programs"

# compare NAME HOW OPTION...: recorded with these; HOW is for spike_facts.py.
compare() {
	name=$1 how=$2
	shift 2
	"$WAYMARK" record "$@" -o "$name.wmk" "./$name" >/dev/null || : # its own status
	"$WAYMARK" export commits "$name.wmk" >"$name.commits"
	guard=$("${CROSS:-riscv64-linux-gnu-}nm" "$name" | sed -n 's/ . __stack_chk_guard$//p')
	if "$PYTHON" "$SRC/tests/cli/export/spike_facts.py" "$name.commits" "$name.log" "$guard" \
		"$how" >verdict; then
		passed "$name, $*: $(cat verdict)"
	else
		failed "$name, $*" "$(cat verdict)"
	fi
}

programs bare syscalls fp
for name in bare syscalls fp; do
	xz -dc "$LOGS/$name.writes.log.xz" >$name.log
	compare $name "" --mem --mem-values
	compare $name every --commits --mem --mem-values
done
"$WAYMARK" export riscvdv bare.wmk -n 300 | "$PYTHON" -c 'import csv, sys
rows = [row["gpr"] for row in csv.DictReader(sys.stdin)]
log = [line.split() for line in open("bare.commits")][:300]
values = [w[6][2:] if len(w) > 6 and w[5] != "mem" else "" for w in log]
good = [gpr.partition(":")[2] for gpr in rows] == values and len(set(values)) > 100
print("ok" if good else "not ok", "riscv-dv has the same registers")'
finish
