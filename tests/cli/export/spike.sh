#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Commits of programs against those of a real Spike: every instruction, every address and
# what was stored and loaded there.

# shellcheck source=tests/cli/common
. "$SRC/tests/cli/common"
# shellcheck source=tests/cli/diff/spike/programs
. "$SRC/tests/cli/diff/spike/programs"

programs syscalls fp
for name in syscalls fp; do
	xz -dc "$LOGS/$name.writes.log.xz" >$name.log
	"$WAYMARK" record --mem --mem-values -o $name.wmk ./$name >/dev/null
	"$WAYMARK" export commits $name.wmk >$name.commits
	guard=$("${CROSS:-riscv64-linux-gnu-}nm" $name | sed -n 's/ . __stack_chk_guard$//p')
	if "$PYTHON" "$SRC/tests/cli/export/spike_facts.py" $name.commits $name.log $guard >verdict
	then
		passed "$name: $(cat verdict)"
	else
		failed "$name" "$(cat verdict)"
	fi
done
finish
