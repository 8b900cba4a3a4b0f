#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Markers of a program whose counts are known by hand. (That this is right
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
thread         insn       seconds  marker                 since_insns  region_insns        begin
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
   id  regions  min_insns  mean_insns  max_insns  total_insns  points  unbegun  unended
    0        0                                                      1        0        0
    1        0                                                      1        0        0
    7        3          3        3.00          3            9       0        0        1
    8        1          1        1.00          1            1       0        0        0
    9        0                                                      0        1        0
1,023        0                                                      0        0        1
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
id  regions  min_insns  mean_insns  max_insns  total_insns  points  unbegun  unended
 8        1          1        1.00          1            1       0        0        0
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
check "json has the values of csv" \
	"$PYTHON" "$SRC/tests/cli/marks/marks_facts.py" json_tells_what_csv_does
run "$WAYMARK" insns run.wmk --from 7 --to 10 --format csv
check "a region is at its ordinals" test \
	"$(sed 1d stdout | cut -d, -f 5 | tr '\n' ' ')" = "40702013 157d 0001 "

# ---- markers as bounds of other questions ------------------------------------

# between NAME FROM TO WORD...: with these options the listing is that of FROM..TO.
between() {
	what=$1 from=$2 to=$3
	shift 3
	"$WAYMARK" insns run.wmk --format csv --from "$from" --to "$to" >wanted
	"$WAYMARK" insns run.wmk --format csv "$@" >got
	same "$what" wanted got
}
between "a region" 2 5 --from marker:7 --to marker:7
between "the third region" 12 15 --from marker:7@3 --to marker:7
between "the end comes the third time" 2 15 --from marker:7 --to marker:7@3
between "to a marker" 0 18 --to marker:8
between "from a marker" 17 99 --from marker:8
between "a number and a marker" 6 10 --from 6 --to marker:7
between "a marker and a number" 7 9 --from marker:7@2 --to 9
between "a point, to another" 0 21 --from marker:1 --to marker:0
run "$WAYMARK" blocks run.wmk --format csv --from marker:7@2 --to marker:7
check "of blocks, their ordinals" [ "$(cut -d, -f 1,6 stdout)" = "$(printf 'ordinal,insns\n3,3')" ]
for command in "hot -n 1" calls cover "mix -n 1" cfg report "plot hot"; do
	# shellcheck disable=SC2086 # words
	run "$WAYMARK" $command run.wmk --from marker:7@2 --to marker:7
	cp stdout got
	# shellcheck disable=SC2086 # words
	run "$WAYMARK" $command run.wmk --from 7 --to 10
	check "$command between markers" cmp -s stdout got
	[ "$status" -eq 0 ] || failed "$command" "$(cat stderr)"
done
for command in marks "events --format csv"; do
	# shellcheck disable=SC2086 # words
	run "$WAYMARK" $command run.wmk --from marker:7@2 --to marker:7
	cp stdout got
	# shellcheck disable=SC2086 # words
	run "$WAYMARK" $command run.wmk --from 7 --to 10
	same "$command between markers" stdout got
done
refused "a begin that is not reached" '*--from marker:7@9 is not reached: the thread comes there 4 times' \
	"$WAYMARK" hot run.wmk --from marker:7@9
refused "an end that is not reached" '*--to marker:8@2 is not reached after --from' \
	"$WAYMARK" insns run.wmk --to marker:8@2
refused "an end before the begin" '*--to is before --from' \
	"$WAYMARK" insns run.wmk --from marker:7@3 --to 5
"$WAYMARK" record -o threads.wmk "$GUESTS/threads/names.O3" >out
refused "a marker in one of many threads" '*marker:7 is a place in one thread*--thread' \
	"$WAYMARK" hot threads.wmk --from marker:7
misused "no marker" '*marker: is followed by a number from 0 to 1023' \
	"$WAYMARK" hot run.wmk --from marker:here
misused "not from two places" '--last and --from exclude each other' \
	"$WAYMARK" insns run.wmk --from marker:7 --last 3

# ---- code is cut at markers, and nobody takes that for a difference ----------

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

# ---- several threads and processes -------------------------------------------

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
check "and it is said" grep -qx "waymark: no marker was passed" stderr
run "$WAYMARK" marks none.wmk --summary
check "of their sums, too" grep -qx "waymark: no marker was passed" stderr
run "$WAYMARK" marks run.wmk --id 1000
check "no marker of an id" grep -qx "waymark: no marker 1000 was passed" stderr
run "$WAYMARK" marks run.wmk -n 1
check "nothing is said of a list that -n cut" test ! -s stderr

misused "an id that cannot be" '*--id*' "$WAYMARK" marks run.wmk --id 1024
misused "a format that does not exist" '*pc*' "$WAYMARK" marks run.wmk --format pc
refused "a thread that does not exist" '*thread*' "$WAYMARK" marks run.wmk --thread 9
refused "no trace" '*absent.wmk*' "$WAYMARK" marks absent.wmk
finish
