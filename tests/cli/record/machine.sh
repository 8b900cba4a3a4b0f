#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# record --system: what is refused before a machine starts. That machines are recorded
# exactly is shown by tests/long/machine.sh, which needs a QEMU that emulates one.

# shellcheck source=tests/cli/common
. "$(dirname "$0")/../common"

mkdir -p bin cache/qemu-10.2.9/bin
export WAYMARK_CACHE="$PWD/cache"

# emulator FILE VERSION: a full-system QEMU of that version that takes plugins, and writes
# down how it is started.
emulator() {
	cat >"$1" <<-END
		#!/bin/sh
		case "\$*" in *-version*) echo "QEMU emulator version $2 (made up)"; exit 0 ;; esac
		printf '%s\n' "\$0" "\$@" >"$PWD/started"
	END
	chmod +x "$1"
}
emulator bin/qemu-system-riscv64 7.2.22
emulator old 10.0.2
emulator new 10.2.2
elf=$GUESTS/straight.O3

refused "7.2" '*QEMU 7.2.22, which does not tell plugins where traps*setup-qemu --system*' \
	"$WAYMARK" record --system bin/qemu-system-riscv64 -M virt
refused "10.0" '*QEMU 10.0.2, which does not tell*' "$WAYMARK" record --system ./old
refused "no such QEMU" 'no qemu-system-vax in PATH*' \
	"$WAYMARK" record --system qemu-system-vax
refused "a QEMU for programs" '*emulates programs, not a whole machine*' \
	"$WAYMARK" record --system "$(command -v qemu-riscv64)"
refused "a whole machine as a program's emulator" '*or record --system' \
	"$WAYMARK" record --qemu ./new "$elf"
refused "values" 'of a whole machine not recorded: memory accesses*' \
	"$WAYMARK" record --system --mem ./new
refused "single instructions" 'of a whole machine not recorded: single*' \
	"$WAYMARK" record --system --precise ./new
refused "a window" 'of a whole machine not recorded: a part*' \
	"$WAYMARK" record --system --start insn:5 ./new
refused "a limit" 'of a whole machine not recorded: a part*' \
	"$WAYMARK" record --system --max-insns 5 ./new
refused "a filter" 'of a whole machine not recorded: a part*' \
	"$WAYMARK" record --system --user-code ./new
refused "a variable" 'of a whole machine not recorded: options of user mode*' \
	"$WAYMARK" record --system -E A=1 ./new
refused "a sysroot that is not there" '--sysroot nothing: No such file*' \
	"$WAYMARK" record --system -L . --sysroot nothing ./new
refused "a sysroot that is no folder" '--sysroot old is no folder' \
	"$WAYMARK" record --system -L old ./new
refused "--qemu" '--system takes the emulator as PROGRAM*' \
	"$WAYMARK" record --system --qemu ./new ./new
refused "--kernel alone" '--kernel is for --system' \
	"$WAYMARK" record --kernel "$elf" "$elf"
refused "a kernel that is not there" '--kernel nothing: No such file*' \
	"$WAYMARK" record --system --kernel nothing ./new
refused "a kernel without names" '--kernel: */old has no names of code*' \
	"$WAYMARK" record --system --kernel old ./new

# Debian's, which has no symbols.
echo 'ffffffffffffffff B The real System.map is in the -dbg package' >empty.map
refused "an empty System.map" '--kernel: */empty.map has no names of code*' \
	"$WAYMARK" record --system --kernel empty.map ./new
printf '%s\n' 'ffffffff80000000 T _start' 'ffffffff80000100 D data' >System.map
run "$WAYMARK" record --system --kernel System.map -- ./new
check "a System.map is taken" test -s started
rm started

# The command line: QEMU's own, with the plugin in front.
run "$WAYMARK" record --system --sysroot bin --kernel "$elf" -- ./new -M virt -smp 2
check "QEMU is started with its options" test "$(sed -n '4,$p' started | xargs)" = "-M virt -smp 2"
check "and with the plugin" grep -q '^-plugin$' started
check "a machine that does not start leaves no trace" test ! -e waymark.wmk

# By a name: the one in PATH cannot be used, and the newest of the cache can.
emulator cache/qemu-10.2.9/bin/qemu-system-riscv64 10.2.9
run env PATH="$PWD/bin:$PATH" "$WAYMARK" record --system qemu-system-riscv64
check "the cache's is taken when that of PATH is too old" \
	grep -qx "$PWD/cache/qemu-10.2.9/bin/qemu-system-riscv64" started
finish
