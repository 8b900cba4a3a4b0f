#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# A name is another address in each program, and an answer says when a store may be missing.

# shellcheck source=tests/cli/common
. "$SRC/tests/cli/common"

# Both have the variable "shared", and the second one has "other" where the first has it.
cat >first.c <<'END'
#include <unistd.h>
#include <sys/wait.h>
long shared[4] __attribute__((section(".shared")));
long unused __attribute__((section(".other")));

int main(void)
{
	shared[1] = 5;
	if (!fork()) {
		if (shared[1] == 5)
			execl("./second", "second", (char *)0);
		return 1;
	}
	wait(0);
	return 0;
}
END
cat >second.c <<'END'
long other[4] __attribute__((section(".shared")));
long shared[4] __attribute__((section(".other")));

__attribute__((noinline)) static void store(int i)
{
	other[i] = i;
	shared[i] = -i;
}

int main(void)
{
	for (int i = 0; i < 4; i++)
		store(i);
	return 0;
}
END
for name in first second; do
	"${CROSS_CC:-riscv64-linux-gnu-gcc}" -O1 -g -static -o $name $name.c \
		-Wl,--section-start=.shared=0x2000000 -Wl,--section-start=.other=0x3000000
done
"$WAYMARK" record -q --wait all --mem -o run.wmk ./first
mem() { "$WAYMARK" mem "$@" --format csv -f address,kind,object,function 2>remark; }

mem run.wmk --watch shared >got
cat >wanted <<'END'
address,kind,object,function
0x2000008,store,shared+0x8,main
0x2000008,load,shared+0x8,main
0x3000000,store,shared,store
0x3000008,store,shared+0x8,store
0x3000010,store,shared+0x10,store
0x3000018,store,shared+0x18,store
END
same "a variable of each program" wanted got
mem run.wmk --watch shared+8 | cut -d, -f1 | sort | uniq -c >got
check "a byte of it" sh -c 'grep -q " 2 0x2000008" got && grep -q " 1 0x3000008" got'
mem run.wmk --watch 0x2000008 >got
check "an address is one of all programs" grep -q '^0x2000008,store,other+0x8,store' got
mem run.wmk --last-writer other >got
check "a variable of the second program alone" grep -q '^0x2000018,store,other+0x18,store' got
check "and of no other one" test "$(wc -l <got)" -eq 2
check "all of the run was recorded: no remark" test ! -s remark
mem run.wmk --process 1 --last-writer shared >got
check "what a forked process has from its parent" \
	grep -q 'what a forked process had from its parent' remark
run "$WAYMARK" mem run.wmk --process 0 --watch other
check "a variable of another process is refused" test "$status" -eq 2

"$WAYMARK" record -q --mem --window store@2..store@3 --window store@4.. -o part.wmk ./second
mem part.wmk --last-writer other >got
check "the last store that was recorded" grep -q '^0x2000018,store' got
check "gaps may have a later one" grep -q 'what ran in gaps' remark
mem part.wmk --last-writer other+16 >got
check "in the gap" sh -c 'test "$(wc -l <got)" -eq 1 && grep -q "may have stored there" remark'

# A file that is cut short lacks the end of the run.
head -c "$(($(stat -c %s run.wmk) - 100))" run.wmk >short.wmk
mem short.wmk --last-writer other >got
check "cut short, and found" grep -q 'what the trace lacks may have stored there later' remark
mem short.wmk --last-writer other+32 >got
check "cut short, and not found" grep -q 'is recorded: what the trace lacks may have stored' remark
finish
