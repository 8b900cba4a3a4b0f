#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# What cannot be recorded: one sentence, exit status 2, nothing left behind.

# shellcheck source=tests/cli/common
. "$(dirname "$0")/../common"

guest=$GUESTS/status.O0
mkdir folder
printf 'int x;\n' >text
chmod +x text
printf '#!/bin/sh\n' >script
chmod +x script
: >empty
chmod +x empty
cp "$guest" plain
chmod -x plain
printf 'int x;\n' >object.c
${CROSS_CC:-riscv64-linux-gnu-gcc} -c -o object.o object.c
chmod +x object.o
# An ELF header for a machine from long ago: EM_S370.
{
	head -c 18 "$guest"
	printf '\011\000'
	tail -c +21 "$guest" | head -c 100
} >old
chmod +x old
head -c 10 "$guest" >stump
chmod +x stump
mkfifo pipe
chmod +x pipe

# fake NAME: an emulator that is none, or of another kind; its body from stdin.
fake() {
	{ echo '#!/bin/sh'; cat; } >"$1"
	chmod +x "$1"
}
fake qemu-static <<'END'
case $1 in
-plugin) echo "qemu: unknown option 'plugin'"; exit 1 ;;
*) echo "qemu-riscv64 version 10.0.2 (Debian 1:10.0.2+ds-2)" ;;
esac
END
fake qemu-between <<'END'
echo "qemu-riscv64 version 9.0.4"
END
fake qemu-new <<'END'
echo "qemu-riscv64 version 12.0.3"
END
fake qemu-old <<'END'
echo "qemu-riscv64 version 6.2.0"
END
fake qemu-system <<'END'
echo "QEMU emulator version 7.2.22"
END
fake qemu-none <<'END'
echo "hello"
END

refused "no program" 'no program to record*' "$WAYMARK" record
refused "missing program" 'no such program: ./nothing' "$WAYMARK" record ./nothing
refused "program in no path" 'no program nothing, neither here nor in PATH' \
	"$WAYMARK" record nothing
refused "empty name" '*empty*' "$WAYMARK" record ''
refused "directory" './folder is a directory*' "$WAYMARK" record ./folder
refused "text" './text is not an ELF program' "$WAYMARK" record ./text
refused "script" './script is a script of *' "$WAYMARK" record ./script
refused "empty file" './empty is not an ELF program' "$WAYMARK" record ./empty
refused "a few bytes of ELF" './stump is not an ELF program' "$WAYMARK" record ./stump
refused "not executable" './plain is not executable*' "$WAYMARK" record ./plain
for bytes in 30 64 100 1000 100000; do
	head -c $bytes "$GUESTS/status.O3" >part
	chmod +x part
	refused "$bytes bytes of a program" './part is cut short: *' "$WAYMARK" record ./part
done
refused "object file" './object.o is an ELF file but no program*' \
	"$WAYMARK" record ./object.o
refused "unknown machine" './old is for a machine*9*' "$WAYMARK" record ./old
cp "$guest" program
ln program second
for name in program ./second; do
	refused "-o $name: the program" "$name is the program itself; -o names the trace*" \
		"$WAYMARK" record -o "$name" ./program
done
refused "-o -: no trace" 'a trace cannot go to standard output: name a file' \
	"$WAYMARK" record -o - ./program
check "the program is as it was" cmp "$guest" program
refused "a FIFO" './pipe is not a regular file' "$WAYMARK" record ./pipe

refused "no QEMU in PATH" 'no qemu-riscv64 in PATH; `waymark setup-qemu`*--qemu' \
	env PATH=/nonexistent WAYMARK_CACHE=/nonexistent "$WAYMARK" record "$guest"
refused "no such version" \
	'no QEMU 10.2 for riscv64 in the cache; `waymark setup-qemu 10.2` makes it' \
	env WAYMARK_CACHE=/nonexistent "$WAYMARK" record --qemu 10.2 "$guest"
refused "missing QEMU" 'no QEMU at ./nothing' "$WAYMARK" record --qemu ./nothing "$guest"
refused "QEMU without plugins" '*/qemu-static (QEMU 10.0.2) was built without plugins; `waymark setup-qemu`*' \
	"$WAYMARK" record --qemu ./qemu-static "$guest"
refused "QEMU of a version between" \
	'*QEMU 9.0.4; Waymark works with 7.2 to 8.1, 9.2 to 10.2, and 11.1:*' \
	"$WAYMARK" record --qemu ./qemu-between "$guest"
refused "QEMU too new" '*QEMU 12.0.3; Waymark works with 7.2 to *' \
	"$WAYMARK" record --qemu ./qemu-new "$guest"
refused "QEMU too old" '*QEMU 6.2.0; Waymark works with 7.2 to *' \
	"$WAYMARK" record --qemu ./qemu-old "$guest"
refused "QEMU for whole machines" '*emulates a whole machine*' \
	"$WAYMARK" record --qemu ./qemu-system "$guest"
cat >qemu-upgraded <<'END'
#!/bin/sh
echo "$0: error while loading shared libraries: libcapstone.so.4: cannot open it" >&2
exit 127
END
chmod +x qemu-upgraded
refused "QEMU whose libraries are gone" \
	'cannot run *qemu-upgraded: *libcapstone.so.4: cannot open it; `waymark setup-qemu` makes*' \
	"$WAYMARK" record --qemu ./qemu-upgraded "$guest"
refused "no QEMU at all" '*qemu-none is not QEMU*' \
	"$WAYMARK" record --qemu ./qemu-none "$guest"

refused "output in no folder" '*nowhere/x.wmk*' "$WAYMARK" record -o nowhere/x.wmk "$guest"
refused "output is a folder" '*folder*' "$WAYMARK" record -o folder "$guest"
refused "output without a name" '*is empty' "$WAYMARK" record -o '' "$guest"

refused "no such sysroot" '-L takes a folder; "./nowhere" is not one' \
	"$WAYMARK" record -L ./nowhere "$guest"
refused "a sysroot that is a file" '-L takes a folder*' "$WAYMARK" record -L text "$guest"

# QEMU itself speaks first here.
ls -A >before
run "$WAYMARK" record "$GUESTS/status.dyn"
ls -A >after
if [ "$status" -eq 2 ] && cmp -s before after &&
	tail -n 1 stderr | grep -q '^waymark: QEMU did not start .*-L SYSROOT'; then
	passed "no loader"
else
	failed "no loader" "exit status $status" "$(cat stderr)" "$(diff before after)"
fi

# An output that was there stays as it was when nothing is recorded.
echo precious >kept.wmk
run "$WAYMARK" record -o kept.wmk ./nothing
check "an old file survives a failure" grep -q precious kept.wmk

# This is recorded, but is hardly what was meant.
cp "$guest" qemu-riscv64
run "$WAYMARK" record -o itself.wmk ./qemu-riscv64
check "QEMU's name as the program: a remark" \
	grep -q '^waymark: qemu-riscv64 itself is recorded; ' stderr

# The emulator for another machine refuses the guest; so do we.
if command -v qemu-arm >/dev/null; then
	ls -A >before
	run "$WAYMARK" record --qemu qemu-arm "$guest"
	ls -A >after
	check "another machine's QEMU" test "$status" -eq 2
	check "another machine's QEMU leaves nothing" cmp -s before after
fi

# QEMU is asked through two pipes: of six descriptors they find three.
# shellcheck disable=SC2016 # for the inner shell
run sh -c 'ulimit -n 6; exec "$@"' sh "$WAYMARK" record "$guest" 3>&- 4>&- 5>&- 6>&- 7>&-
check "too few descriptors: the message has the reason" \
	grep -qx 'waymark: cannot run .*: Too many open files' stderr
finish
