#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# What is told of markers, of a program whose counts are known by hand. (That this is right
# for others, against all that ran: tests/differential/markers.sh.)

# shellcheck source=tests/cli/common
. "$(dirname "$0")/../common"

"${CROSS_CC:-riscv64-linux-gnu-gcc}" -nostdlib -static -I"$SRC/include" -o hand \
	"$SRC/tests/cli/marks/hand.S"
"$WAYMARK" record -o run.wmk ./hand

# told NAME WORD...: `waymark marks run.wmk WORD...` prints what is on standard input. But
# for the time, the third column of CSV.
told() {
	what=$1
	shift
	cat >wanted
	run "$WAYMARK" marks run.wmk "$@"
	case $* in
	*csv*) cut -d, -f 1,2,4- <stdout >got ;;
	*summary*) cp stdout got ;;
	*) sed -E 's/^( *[0-9]+ +[0-9]+) +[0-9.]+/\1/' <stdout >got ;;
	esac
	same "$what" wanted got
	[ "$status" -eq 0 ] && [ ! -s stderr ] ||
		failed "$what: exit status $status" "$(cat stderr)"
}

told "csv" --format csv <<'END'
thread,insn,what,id,depth,since_insns,begin,region_insns
0,0,point,1,0,0,,
0,2,begin,7,0,2,,
0,5,end,7,0,3,2,3
0,7,begin,7,0,2,,
0,10,end,7,0,3,7,3
0,12,begin,7,0,2,,
0,15,end,7,0,3,12,3
0,17,begin,8,0,2,,
0,18,end,8,0,1,17,1
0,19,end,9,0,1,,
0,20,begin,1023,0,1,,
0,21,point,0,1,1,,
0,22,begin,7,1,1,,
0,20,unended,1023,0,,,
0,22,unended,7,1,,,
END
told "text" <<'END'
thread         insn       seconds  marker                       since        region         from
     0            0  point 1                          0
     0            2  begin 7                          2
     0            5  end 7                            3             3            2
     0            7  begin 7                          2
     0           10  end 7                            3             3            7
     0           12  begin 7                          2
     0           15  end 7                            3             3           12
     0           17  begin 8                          2
     0           18  end 8                            1             1           17
     0           19  end 9                            1      no begin
     0           20  begin 1023                       1
     0           21   point 0                         1
     0           22   begin 7                         1
     0           20  begin 1023                                no end
     0           22   begin 7                                  no end
END
told "a summary" --summary <<'END'
   id  regions  min  mean  max  total  points  no begin  no end
    0        0                              1         0       0
    1        0                              1         0       0
    7        3    3  3.00    3      9       0         0       1
    8        1    1  1.00    1      1       0         0       0
    9        0                              0         1       0
1,023        0                              0         0       1
END
told "one id" --id 7 --format csv <<'END'
thread,insn,what,id,depth,since_insns,begin,region_insns
0,2,begin,7,0,2,,
0,5,end,7,0,3,2,3
0,7,begin,7,0,2,,
0,10,end,7,0,3,7,3
0,12,begin,7,0,2,,
0,15,end,7,0,3,12,3
0,22,begin,7,1,1,,
0,22,unended,7,1,,,
END
told "the summary of one id" --id 8 --summary <<'END'
id  regions  min  mean  max  total  points  no begin  no end
 8        1    1  1.00    1      1       0         0       0
END
told "a piece cuts regions" --from 5 --to 12 --format csv <<'END'
thread,insn,what,id,depth,since_insns,begin,region_insns
0,5,end,7,0,0,,
0,7,begin,7,0,2,,
0,10,end,7,0,3,7,3
END
told "from the middle of a block" --from 3 --to 8 --format csv <<'END'
thread,insn,what,id,depth,since_insns,begin,region_insns
0,5,end,7,0,2,,
0,7,begin,7,0,2,,
0,7,unended,7,0,,,
END
told "so many" -n 2 --format csv <<'END'
thread,insn,what,id,depth,since_insns,begin,region_insns
0,0,point,1,0,0,,
0,2,begin,7,0,2,,
END
"$WAYMARK" marks run.wmk --format csv >csv
"$WAYMARK" marks run.wmk --format json >json
check "json tells what csv does" "$PYTHON" -c '
import csv, json
rows = list(csv.DictReader(open("csv")))
marks = json.load(open("json"))
assert len(rows) == len(marks) == 15
for row, mark in zip(rows, marks):
    assert {key: "" if mark.get(key) is None else str(mark[key]) for key in row} == row'
run "$WAYMARK" insns run.wmk --from 7 --to 10 --format csv
check "a region is where it is said to be" test \
	"$(sed 1d stdout | cut -d, -f 5 | tr '\n' ' ')" = "40702013 157d 0001 "

# ---- code is cut at markers, and nobody takes that for a difference ----------------------

"$WAYMARK" record --precise -o precise.wmk ./hand
"$WAYMARK" record --qemu-arg -d --qemu-arg in_asm,exec,nochain --qemu-arg -D --qemu-arg log \
	-o logged.wmk ./hand
run "$WAYMARK" diff run.wmk precise.wmk
check "the same instruction by instruction" grep -qx "identical: 26 instructions" stdout
run "$WAYMARK" diff logged.wmk --qemu log
check "the same as QEMU's log" grep -qx "identical: 26 instructions" stdout
run "$WAYMARK" verify logged.wmk --against log
check "the same as QEMU's log, block by block" test "$status" -eq 0
check "cut" test "$("$WAYMARK" blocks run.wmk | wc -l)" -gt "$(grep -c ^Trace log)"

# ---- several threads and processes ------------------------------------------------------

"$WAYMARK" record -o many.wmk "$GUESTS/processes/marks.O3" >out
run "$WAYMARK" marks many.wmk --summary --format csv
cat >wanted <<'END'
id,regions,points,unbegun,unended
1,4,0,0,0
2,4306,0,0,0
3,3,0,3,0
4,3,0,0,0
END
cut -d, -f 1,2,7- <stdout >got
same "threads, and children forked within a region" wanted got
run "$WAYMARK" marks many.wmk --process 0 --summary --id 3 --format csv
check "of the parent every end has its begin" test \
	"$(sed 1d stdout | cut -d, -f 1,2,7-)" = 3,3,0,0,0
run "$WAYMARK" marks many.wmk --thread 1 --format csv
check "of one thread" test "$(sed 1d stdout | cut -d, -f 1 | sort -u)" = 1

"$WAYMARK" record -o none.wmk "$GUESTS/status.O0" || true
run "$WAYMARK" marks none.wmk --format json
check "no markers" test "$status" -eq 0 -a "$(tr -d '\n' <stdout)" = "[]"

misused "an id that cannot be" '*--id*' "$WAYMARK" marks run.wmk --id 1024
misused "a format that there is not" '*pc*' "$WAYMARK" marks run.wmk --format pc
refused "a thread that there is not" '*thread*' "$WAYMARK" marks run.wmk --thread 9
refused "no trace" '*absent.wmk*' "$WAYMARK" marks absent.wmk
finish
