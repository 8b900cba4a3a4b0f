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
check "json has its keys, with sensible values" "$PYTHON" - "$GUESTS" "$QEMU" "$begin" <<'END'
import datetime, json, os, subprocess, sys, time
guest = os.path.join(sys.argv[1], "status.O0")
info = json.load(open("info.json"))
wanted = """instructions uncertain until blocks bytes bits_per_instruction complete cut command guest_isa
qemu_version waymark_version last started events seconds chunks known_blocks threads processes
modules gaps passed passed_exact windows windows_missed filters limits limit_reached threads_left_out
processes_left_out""".split()
assert sorted(info) == sorted(wanted), sorted(info)
assert info["bytes"] == os.path.getsize("run.wmk")
assert info["instructions"] > info["blocks"] > info["known_blocks"] > 100
bits = info["bytes"] * 8 / info["instructions"]
assert abs(info["bits_per_instruction"] - bits) < 1e-6
assert info["passed_exact"] is True
assert info["complete"] is True and info["cut"] is None
assert info["command"] == guest + " 'an argument'", info["command"]
assert info["guest_isa"].startswith("riscv64"), info["guest_isa"]
version = subprocess.run([sys.argv[2], "--version"], capture_output=True, text=True).stdout
assert f" version {info['qemu_version']}" in version.splitlines()[0], info["qemu_version"]
assert info["waymark_version"]
then = datetime.datetime.fromisoformat(info["started"].replace("Z", "+00:00"))
begin, end = int(sys.argv[3]), time.time()
assert begin <= then.timestamp() <= end, (begin, then, end)
assert 0 < info["seconds"] < end - begin, info["seconds"]
[thread] = info["threads"]
assert sorted(thread) == sorted("index process vcpu generation tid name blocks "
                                "instructions uncertain gaps passed chunks".split())
for key in "blocks", "instructions", "uncertain", "gaps", "passed", "chunks":
    assert thread[key] == info[key], key
[process] = info["processes"]
assert process["pid"] > 1 and process["parent"] is None
assert process["exit"] == 7 and process["signal"] is None
assert process["began"] == "start" and process["replaced"] is False
assert os.path.samefile(process["path"], guest)
assert any(os.path.samefile(m["path"], guest) for m in info["modules"]
           if os.path.exists(m["path"]))
for module in info["modules"]:
    assert int(module["start"], 16) < int(module["end"], 16)
END

run "$WAYMARK" info run.wmk
insns=$("$PYTHON" -c 'import json; print(format(json.load(open("info.json"))["instructions"], ","))')
check "text tells the instructions" grep -qE "^instructions +$insns\$" stdout
check "text tells the end" grep -qE '^ended +exit status 7$' stdout
check "text tells it is whole" grep -qE '^complete +yes$' stdout
check "text keeps to 100 columns" \
	awk -v most=100 'length > most && !/^command/ { exit 1 }' stdout
check "nothing on stderr" test ! -s stderr
check "one process is not listed" sh -c '! grep -q ^process stdout'

# A program that forks a child, which becomes another program.
"${CROSS_CC:-riscv64-linux-gnu-gcc}" -std=gnu17 -O1 -static -o family \
	"$SRC/tests/cli/info/family.c"
"$WAYMARK" record -o run.wmk ./family >/dev/null
"$WAYMARK" info run.wmk --format json >info.json
check "how processes began and ended" "$PYTHON" - <<'END'
import json
info = json.load(open("info.json"))
first, forked, new = info["processes"]
assert [p["began"] for p in info["processes"]] == ["start", "fork", "exec"]
assert [p["parent"] for p in info["processes"]] == [None, 0, 1]
assert [p["replaced"] for p in info["processes"]] == [False, True, False]
assert forked["pid"] == new["pid"] != first["pid"]
assert first["exit"] == 0
assert [(t["process"], t["vcpu"], t["generation"]) for t in info["threads"]] == [
    (0, 0, 0), (1, 0, 0), (2, 0, 0)]
END
"$WAYMARK" info run.wmk >text
check "text lists the processes" \
	sh -c 'grep -A 3 "^process" text | tail -n 3 | awk "{ print \$4 }" | xargs | grep -qx "start fork exec"'
check "text lists their threads" test "$(sed -n '/^thread/,/^$/p' text | grep -c .)" -eq 4
refused "no such file" '*nothing.wmk*No such file*' "$WAYMARK" info nothing.wmk
finish
