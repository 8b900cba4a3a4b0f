#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# A program named without a slash is found in the sysroot of -L, links and all.

# shellcheck source=tests/cli/common
. "$(dirname "$0")/../common"

cat >named.c <<'END'
#include <stdio.h>
int main(int argc, char **argv) { return printf("%s %s\n", WHICH, argv[0]) < argc; }
END
# program FILE WHICH: one that says which it is, and by what name.
program() {
	mkdir -p "$(dirname "$1")"
	"${CROSS_CC:-riscv64-linux-gnu-gcc}" -static -DWHICH="\"$2\"" -o "$1" named.c
}
program root/usr/bin/tool sysroot
program root/usr/local/bin/both local
program root/usr/bin/both sysroot
program root/opt/tool-2 alternative
program path/tool path
program path/elsewhere path
program path/climbs path
mkdir -p root/etc/alternatives root/bin root/usr/bin/folder
ln -s /etc/alternatives/linked root/usr/bin/linked
ln -s /opt/tool-2 root/etc/alternatives/linked
ln -s tool root/usr/bin/short
ln -s ../../../../../../../../opt/tool-2 root/bin/climbs
ln -s /usr/bin/gone root/usr/bin/gone
ln -s circle root/usr/bin/circle
PATH=$PWD/path:$PATH

# found NAME WANTED: what the program of that name says.
found() {
	what=$1 wanted=$2
	shift 2
	run "$WAYMARK" record -o run.wmk "$@"
	got=$(cat stdout)
	if [ "$status" -eq 0 ] && [ "$got" = "$wanted" ] && [ ! -s stderr ]; then
		passed "$what"
	else
		failed "$what" "status $status" "wanted: $wanted" "got: $got" "$(cat stderr)"
	fi
}

found "in usr/bin, before PATH" "sysroot root/usr/bin/tool" -L root -- tool
found "in usr/local/bin first" "local root/usr/local/bin/both" -L root both
found "by a link" "sysroot root/usr/bin/short" -L root short
found "by an absolute link" "alternative root/usr/bin/linked" -L root linked
found "by one that climbs beyond the root" "alternative root/bin/climbs" -L root climbs
found "else in PATH" "path $PWD/path/elsewhere" -L root elsewhere
found "without a sysroot in PATH" "path $PWD/path/tool" tool
found "with a slash as it stands" "path path/tool" -L root path/tool
found "the last -L counts" "sysroot root/usr/bin/tool" -L path -L root tool
QEMU_LD_PREFIX=root found "or the environment" "sysroot root/usr/bin/tool" tool
mkdir tool
found "a folder of the name is no program" "sysroot root/usr/bin/tool" -L root tool
rmdir tool
program both here
found "the current directory comes first" "here both" -L root both

# One of this machine is hardly meant to run with the files of another.
echo 'int main(void) { return 0; }' >own.c
"${CC:-cc}" -static -o path/own-tool own.c
run "$WAYMARK" record -o run.wmk -L root own-tool
check "this machine's own: it is said" grep -q \
	"^waymark: own-tool is not in root: this machine's own is recorded, .*/path/own-tool$" stderr

refused "in neither" 'no program nothing, neither here nor in root nor in PATH' \
	"$WAYMARK" record -o none.wmk -L root nothing
for name in gone circle folder; do
	refused "$name is no program" "no program $name, *" \
		"$WAYMARK" record -o none.wmk -L root $name
done
finish
