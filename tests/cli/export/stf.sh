#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# STF, for which Debian has no reader: an independent one reads the path, the accesses and the
# registers back, over signals, gaps and 32-bit code as well.

# shellcheck source=tests/cli/common
. "$(dirname "$0")/../common"

here=$SRC/tests/cli/export

# agrees FACT TRACE [OPTION...]
agrees() {
	agrees_fact=$1
	shift
	run "$WAYMARK" export stf "$@" -o out.stf
	check "$agrees_fact: $*" test "$status" -eq 0 -a ! -s stderr
	"$WAYMARK" insns "$@" --no-events --values --format jsonl >out.jsonl 2>/dev/null ||
		"$WAYMARK" insns "$@" --no-events --format jsonl >out.jsonl
	check "what it says: $agrees_fact $*" \
		"$PYTHON" "$here/stf_facts.py" "$agrees_fact" out.stf out.jsonl
}

"$WAYMARK" record -o path.wmk "$GUESTS/signal.O3" >/dev/null
"$WAYMARK" record --mem --mem-values -o accesses.wmk "$GUESTS/signal.O3" >/dev/null
"$WAYMARK" record --mem --mem-values -o atomics.wmk "$GUESTS/atomics.O3" >/dev/null
"$WAYMARK" record --commits -o written.wmk "$GUESTS/float.O3" >/dev/null
"$WAYMARK" record --only main -o gaps.wmk "$GUESTS/fnptr.O0" >/dev/null
# Jumps to the next instruction.
cat >next.c <<-'END'
	int main(void)
	{
		for (int i = 0; i < 100; i++)
			__asm__ volatile("j 1f\n1:\tjal 2f\n2:\tla t0, 3f\n\tjr t0\n3:\tbeqz zero, 4f\n4:"
					 ::: "ra", "t0");
		return 0;
	}
END
"${CROSS_CC:-riscv64-linux-gnu-gcc}" -O1 -static -o next next.c
"$WAYMARK" record -o next.wmk ./next
agrees control_flow next.wmk --from main
agrees control_flow path.wmk --to 30000
agrees control_flow path.wmk --from 1000 --to 3000
agrees control_flow gaps.wmk --to 30000
agrees with_accesses accesses.wmk --to 30000
agrees with_accesses atomics.wmk --to 30000
agrees with_registers written.wmk --to 30000
for guest in x86_64 aarch64; do
	[ -d "$GUESTS/$guest" ] || continue
	for program in "$GUESTS/$guest"/*.O?; do break; done
	"$WAYMARK" record -o other.wmk "$program" >/dev/null 2>&1 || continue
	refused "not of $guest" '*the format stf is of RISC-V*' "$WAYMARK" export stf other.wmk
done
finish
