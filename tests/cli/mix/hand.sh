#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# A mix that was counted by hand: see loop.S.

# shellcheck source=tests/cli/common
. "$SRC/tests/cli/common"

"${CROSS_CC:-riscv64-linux-gnu-gcc}" -nostdlib -static -march=rv64gc -mabi=lp64d -o loop \
	"$SRC/tests/cli/mix/loop.S"
"$WAYMARK" record --qemu "$QEMU" -o loop.wmk -- ./loop

mix() { "$WAYMARK" mix loop.wmk --format csv "$@"; }

# is NAME WORD...: `mix WORD...` prints what is on standard input.
is() {
	what=$1
	shift
	cat >wanted
	mix "$@" >got 2>&1 || true
	same "$what" wanted got
}

is "classes" -f class,insns,compressed <<END
class,insns,compressed
integer,1003,1000
CSR,1000,0
"FP add, double",1000,0
"FP fused multiply-add, double",1000,0
"FP multiply, single",1000,0
"FP store, double",1000,0
atomic,1000,0
bit manipulation,1000,0
branch,1000,0
call,1000,0
divide,1000,0
fence,1000,0
hint,1000,1000
load,1000,0
multiply,1000,0
return,1000,1000
store,1000,0
system,1,0
END

mv wanted classes
"${CROSS_CC:-riscv64-linux-gnu-gcc}" -nostdlib -static -march=rv32gc -mabi=ilp32d \
	-Wl,-melf32lriscv -o loop32 "$SRC/tests/cli/mix/loop.S"
"$WAYMARK" record --qemu "${QEMU%riscv64}riscv32" -o loop32.wmk -- ./loop32
"$WAYMARK" mix loop32.wmk -f class,insns,compressed --format csv >got
same "classes of RV32" classes got
"$WAYMARK" mix loop32.wmk --by mnemonic -f mnemonic,insns --format csv | grep -E '^[ls][dw],' >got
printf '%s\n' lw,1000 sw,1000 >wanted
same "mnemonics of RV32" wanted got

is "extensions" --by extension -f extension,insns,share <<END
extension,insns,share
I,5004,0.294284
C,3000,0.176429
D,3000,0.176429
M,2000,0.117619
A,1000,0.058810
F,1000,0.058810
Zba,1000,0.058810
Zicsr,1000,0.058810
END

is "mnemonics" --by mnemonic -n 3 <<END
mnemonic,insns,share,cumulative,compressed_share
addi,1002,0.058927,0.058927,0.998004
amoadd.w,1000,0.058810,0.117737,0.000000
bnez,1000,0.058810,0.176547,0.000000
END

is "sizes" --by size <<END
size,insns,share,cumulative
4,14004,0.823571,0.823571
2,3000,0.176429,1.000000
END

is "registers" --by register <<END
register,reads,read_share,writes,write_share
zero,4003,0.235415,3000,0.176429
t0,3000,0.176429,1001,0.058869
fa0,2000,0.117619,2000,0.117619
sp,4000,0.235239,0,0.000000
a1,0,0.000000,2000,0.117619
a2,2000,0.117619,0,0.000000
a3,2000,0.117619,0,0.000000
a4,1000,0.058810,1000,0.058810
fa1,2000,0.117619,0,0.000000
fa2,2000,0.117619,0,0.000000
ra,1000,0.058810,1000,0.058810
a5,0,0.000000,1000,0.058810
a6,0,0.000000,1000,0.058810
fa3,0,0.000000,1000,0.058810
fa4,1000,0.058810,0,0.000000
fa5,1000,0.058810,0,0.000000
a0,0,0.000000,1,0.000059
a7,0,0.000000,1,0.000059
END

is "one round" --from 1 --to 18 --by size <<END
size,insns,share,cumulative
4,14,0.823529,0.823529
2,3,0.176471,1.000000
END

# 470 rounds and 10 of the next one; its other 7, with three of 16 bits, 470 and 4; the rest
is "over time" --interval 8001 --by size -f thread,from,size,insns,share <<END
thread,from,size,insns,share
0,0,4,6591,0.823772
0,0,2,1410,0.176228
0,8001,4,6588,0.823397
0,8001,2,1413,0.176603
0,16002,4,825,0.823353
0,16002,2,177,0.176647
END

is "per function" --per function --by size --function round <<END
function,size,insns,share,total_share
round,2,1000,1.000000,1.000000
END

is "only a function" --function 'rou*' --by mnemonic -f mnemonic,insns,share <<END
mnemonic,insns,share
ret,1000,1.000000
END

is "no such function" --function nothing <<END
waymark: no function "nothing" ran
class,insns,share,cumulative,compressed_share
END

refused "a trace that does not exist" "*nothing.wmk*" "$WAYMARK" mix nothing.wmk
finish
