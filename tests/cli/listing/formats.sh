#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# All formats describe the same sequence, which is the one that `info` counts; and those
# for outside readers look as their readers expect.

# shellcheck source=tests/cli/common
. "$(dirname "$0")/../common"

"$WAYMARK" record -o run.wmk --qemu-arg -d --qemu-arg in_asm,nochain --qemu-arg -D \
	--qemu-arg log "$GUESTS/status.O3" >/dev/null || true
"$WAYMARK" info --format json run.wmk >info.json
value() { sed -n "s/^  \"$1\": \\([0-9]*\\),\$/\\1/p" info.json; }
insns=$(value instructions)
blocks=$(value blocks)

for format in text pc csv jsonl; do
	"$WAYMARK" blocks run.wmk --format $format --no-events >blocks.$format
done
for format in text qemu execlog spike csv jsonl; do
	"$WAYMARK" insns --format $format --no-events run.wmk >insns.$format
done

# lines FILE N: and not fewer than a real program has
lines() { [ "$(wc -l <"$1")" -eq "$2" ] && [ "$2" -gt 1000 ]; }
check "blocks: text has a line a block" lines blocks.text "$blocks"
check "blocks: pc has a line a block" lines blocks.pc "$blocks"
check "blocks: csv has a line a block and names" lines blocks.csv $((blocks + 1))
check "blocks: jsonl has a line a block" lines blocks.jsonl "$blocks"
check "insns: text has a line an instruction" lines insns.text "$insns"
check "insns: qemu has a line an instruction" lines insns.qemu "$insns"
check "insns: execlog has a line an instruction" lines insns.execlog "$insns"
check "insns: csv has a line an instruction and names" lines insns.csv $((insns + 1))
check "insns: jsonl has a line an instruction" lines insns.jsonl "$insns"
grep -v '>>>>' insns.spike >spike.insns || true
check "insns: spike has a line an instruction" lines spike.insns "$insns"

# ---- addresses, the same everywhere ------------------------------------------

awk '{ print substr($2, 3) }' blocks.text >pc.text
same "blocks: text and pc" blocks.pc pc.text
sed 1d blocks.csv | awk -F, '{ print substr($3, 3) }' >pc.csv
same "blocks: csv and pc" blocks.pc pc.csv
awk '{ print $2 }' insns.text >insn.text
awk '{ sub(/^0x0*/, "0x"); sub(/:/, ""); print $1 }' insns.qemu >insn.qemu
same "insns: qemu and text" insn.text insn.qemu
awk -F', ' '{ print $2 }' insns.execlog >insn.execlog
same "insns: execlog and text" insn.text insn.execlog
awk '{ sub(/^0x0*/, "0x", $3); print $3 }' spike.insns >insn.spike
same "insns: spike and text" insn.text insn.spike
sed 1d insns.csv | awk -F, '{ print $2 }' >insn.csv
same "insns: csv and text" insn.text insn.csv

check "json lines are json, and equal csv" \
	"$PYTHON" "$SRC/tests/cli/listing/formats_facts.py" json_lines_are_json_and_equal_csv

# A block is its instructions.
check "blocks expand to insns" \
	"$PYTHON" "$SRC/tests/cli/listing/formats_facts.py" blocks_expand_to_insns

# ---- against QEMU's own words ------------------------------------------------

grep '^0x' log | sort -u >log.lines
sort -u insns.qemu >qemu.lines
comm -23 qemu.lines log.lines >foreign
check "every line of qemu is one of the log" test -s qemu.lines -a ! -s foreign
[ ! -s foreign ] || head -n 5 foreign
awk '{ print $1, $2 }' log.lines | sed 's/^0x0*\([0-9a-f]*\): \(.*\)/0, 0x\1, 0x\2/; s/, 0x0*\([0-9a-f]\)/, 0x\1/2' |
	sort -u >log.execlog
cut -d'"' -f1 insns.execlog | sed 's/, $//' | sort -u >execlog.lines
comm -23 execlog.lines log.execlog >foreign
check "every line of execlog is one of the log" test -s execlog.lines -a ! -s foreign
[ ! -s foreign ] || head -n 5 foreign
grep -v -E '^0, 0x[0-9a-f]+, 0x[0-9a-f]+, "[^"]+"$' insns.execlog >odd || true
check "execlog's layout" test ! -s odd
grep -v -E '^core   0: (>>>>  [^ ]+|0x[0-9a-f]{16} \(0x[0-9a-f]{8}\) [a-z].*)$' \
	insns.spike >odd || true
check "spike's layout" test ! -s odd
check "spike names functions" grep -q '^core   0: >>>>  main$' insns.spike

# ---- symbols -----------------------------------------------------------------

check "text starts at ordinal 0, in _start" \
	sh -c 'head -n 1 insns.text | grep -qE "^ +0  0x[0-9a-f]+ +_start "'
riscv64-linux-gnu-nm "$GUESTS/status.O3" | awk '$3 == "main" { sub(/^0*/, ""); print $1 }' \
	>main.nm
awk -F, '$3 == "main" && $4 == 0 { sub(/^0x/, "", $2); print $2; exit }' insns.csv >main.csv
same "main is at the address that nm prints" main.nm main.csv
finish
