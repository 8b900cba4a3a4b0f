#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# What `info` tells: every key that is promised, and true.

# shellcheck source=tests/cli/common
. "$(dirname "$0")/../common"

begin=$(date +%s)
"$WAYMARK" record -o run.wmk -- "$GUESTS/status.O0" 'an argument' >/dev/null || true
run "$WAYMARK" info run.wmk --format json
cp stdout info.json
check "json is json" "$PYTHON" -m json.tool info.json json.out
check "json has its keys, with sensible values" \
	"$PYTHON" "$SRC/tests/cli/info/info_facts.py" json_has_its_keys_with_sensible_values "$GUESTS" "$QEMU" "$begin"

run "$WAYMARK" info run.wmk
insns=$("$PYTHON" "$SRC/tests/cli/info/info_facts.py" insns_grouped)
check "text has the instructions" grep -qE "^instructions +$insns\$" stdout
check "text has the exit status" grep -qE '^ended +exit status 7$' stdout
check "text has whether it is complete" grep -qE '^complete +yes$' stdout
check "text keeps to 100 columns" \
	awk -v most=100 'length > most && !/^command/ { exit 1 }' stdout
check "nothing on stderr" test ! -s stderr
check "one process is not listed" sh -c '! grep -q ^process stdout'

# A program that forks a child, which becomes another program.
"${CROSS_CC:-riscv64-linux-gnu-gcc}" -std=gnu17 -O1 -static -o family \
	"$SRC/tests/cli/info/family.c"
"$WAYMARK" record -o run.wmk ./family >/dev/null
"$WAYMARK" info run.wmk --format json >info.json
check "how processes began and ended" \
	"$PYTHON" "$SRC/tests/cli/info/info_facts.py" how_processes_began_and_ended
"$WAYMARK" info run.wmk >text
check "text lists the processes" \
	sh -c 'grep -A 3 "^process" text | tail -n 3 | awk "{ print \$4 }" | xargs | grep -qx "start fork exec"'
check "text lists their threads" test "$(sed -n '/^thread/,/^$/p' text | grep -c .)" -eq 4

# A thread that went from one process into another one and back.
"$BUILD/tests/unit/make_trace" spaces.wmk spaces
"$WAYMARK" info spaces.wmk --format json >info.json
check "json has all processes of a thread" \
	"$PYTHON" "$SRC/tests/cli/info/info_facts.py" all_processes_of_a_thread
check "so has the text" sh -c "'$WAYMARK' info spaces.wmk | grep -qE '^ +0 +2,3 +0 '"

# Of a part of a run the file may know more blocks than it executed.
"$WAYMARK" record -o whole.wmk "$GUESTS/branches.O3" >/dev/null || true
"$WAYMARK" cut whole.wmk --from 100 --to 200 -o part.wmk >/dev/null 2>&1
"$WAYMARK" info whole.wmk >text
check "distinct blocks of a run" grep -qE '^blocks  .*, [0-9,]+ distinct$' text
"$WAYMARK" info part.wmk >text
check "known blocks of a part" grep -qE '^blocks  .*, of [0-9,]+ known$' text
"$WAYMARK" record --only 'process:*' -o filtered.wmk "$GUESTS/branches.O3" >/dev/null || true
"$WAYMARK" info filtered.wmk >text
check "known blocks of what filters let through" grep -qE '^blocks  .*, of [0-9,]+ known$' text

refused "no such file" '*nothing.wmk*No such file*' "$WAYMARK" info nothing.wmk
finish
