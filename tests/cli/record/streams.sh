#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The guest's arguments, environment and standard streams are its own.

# shellcheck source=tests/cli/common
. "$(dirname "$0")/../common"

cat >show.c <<'END'
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv)
{
	char line[100];
	for (int i = 1; i < argc; i++)
		printf("<%s>", argv[i]);
	printf(" SHOW=%s\n", getenv("SHOW") ? getenv("SHOW") : "unset");
	while (fgets(line, sizeof(line), stdin))
		fprintf(stderr, "read %s", line);
	return 3;
}
END
${CROSS_CC:-riscv64-linux-gnu-gcc} -static -O1 -o show show.c

shows() {
	name=$1 wanted=$2
	shift 2
	got=$("$WAYMARK" record -o show.wmk "$@" 2>stderr </dev/null) && status=0 || status=$?
	if [ "$got" = "$wanted" ] && [ "$status" -eq 3 ] && [ ! -s stderr ]; then
		passed "$name"
	else
		failed "$name" "exit status $status" "$got" "$(cat stderr)"
	fi
}

shows "no arguments" " SHOW=unset" ./show
shows "arguments" "<a><b c><><*> SHOW=unset" ./show a 'b c' '' '*'
shows "options after the program" "<--output><-o><x> SHOW=unset" ./show --output -o x
shows "after --" "<--><-L> SHOW=unset" -- ./show -- -L
shows "-E" " SHOW=a b=c" -E 'SHOW=a b=c' ./show
shows "--env" " SHOW=1" --env=SHOW=1 ./show
shows "-E with two variables" " SHOW=2" -E 'OTHER=1,SHOW=2' ./show
for wrong in SHOW '' SHOW=a,b SHOW=a,; do
	run "$WAYMARK" record -o wrong.wmk -E "$wrong" ./show
	check "-E '$wrong': an error of one sentence" test "$status" -eq 2 -a ! -e wrong.wmk
	check "-E '$wrong': says what it takes" grep -q 'takes VAR=VALUE' stderr
done
SHOW=inherited shows "the environment" " SHOW=inherited" ./show
shows "--qemu-arg" " SHOW=q" --qemu-arg -E --qemu-arg SHOW=q ./show
shows "a name in the current directory" "<x> SHOW=unset" show x
cp show ./-show
shows "a name that begins with a dash" "<x> SHOW=unset" -- -show x
mkdir bin
mv show bin/found-in-path
PATH=$PWD/bin:$PATH shows "a name in PATH" "<x> SHOW=unset" found-in-path x
mkdir "with space,and comma"
(cd "with space,and comma" && "$WAYMARK" record -o "a b,c.wmk" ../bin/found-in-path) >/dev/null 2>&1 || true
check "odd names" "$WAYMARK" verify "with space,and comma/a b,c.wmk" >/dev/null

# stdin through a pipe, stdout and stderr apart
printf 'one\ntwo\n' | "$WAYMARK" record -o show.wmk bin/found-in-path >stdout 2>stderr || true
printf ' SHOW=unset\n' >wanted
same "stdout" wanted stdout
printf 'read one\nread two\n' >wanted
same "stderr and stdin" wanted stderr

"$QEMU" "$GUESTS/echo.O3" <"$0" >wanted
"$WAYMARK" record "$GUESTS/echo.O3" <"$0" >stdout
same "a file through the guest" wanted stdout
check "waymark.wmk is the default" test -s waymark.wmk
finish
