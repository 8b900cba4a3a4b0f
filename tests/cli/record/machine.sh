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
emulator bin/qemu-system-aarch64 7.2.22
emulator bin/qemu-system-x86_64 10.2.2
emulator old 9.2.4
emulator new 10.2.2
elf=$GUESTS/straight.O3

refused "7.2" '*QEMU 7.2.22, which does not tell plugins where traps*setup-qemu --system*' \
	"$WAYMARK" record --system bin/qemu-system-riscv64 -M virt
refused "7.2, if nothing more is said" '*, or give --inexact' \
	"$WAYMARK" record --system bin/qemu-system-riscv64 -M virt
refused "9.2, whatever is said" '*QEMU 9.2.4, which does not tell*take 10.2*' \
	"$WAYMARK" record --system --inexact ./old
printf '\177ELF' >broken
chmod +x broken
refused "a guest's program in its place" '*no program of this machine: --system takes an emulator*' \
	"$WAYMARK" record --system ./broken
refused "--inexact alone" '--inexact is for --system' "$WAYMARK" record --inexact "$elf"
refused "values without traps" 'with QEMU 7.2.22 no values of a machine*' \
	"$WAYMARK" record --system --inexact --mem bin/qemu-system-riscv64
refused "another machine without traps" 'with QEMU 7.2.22 no machines of aarch64*' \
	"$WAYMARK" record --system --inexact bin/qemu-system-aarch64
refused "9.2" '*QEMU 9.2.4, which does not tell*' "$WAYMARK" record --system ./old
# 10.0 shows traps of riscv64 and aarch64 (differential/machine-10.0).
mkdir ten
emulator ten/qemu-system-x86_64 10.0.2
refused "10.0, of another machine" 'with QEMU 10.0.2 no machines of x86_64*take 10.2*' \
	"$WAYMARK" record --system ten/qemu-system-x86_64
refused "no such QEMU" 'no qemu-system-vax in PATH*' \
	"$WAYMARK" record --system qemu-system-vax
refused "a QEMU for programs" '*emulates programs, not a whole machine*' \
	"$WAYMARK" record --system "$(command -v qemu-riscv64)"
refused "a whole machine as a program's emulator" '*or record --system' \
	"$WAYMARK" record --qemu ./new "$elf"
refused "a register of another machine" 'riscv64 has no register "rax"*' \
	"$WAYMARK" record --system --kernel "$elf" --value main:rax ./new
refused "a CSR of another machine" 'x86_64 has no register "satp"*' \
	"$WAYMARK" record --system --kernel "$elf" --value main:satp bin/qemu-system-x86_64
refused "another machine's kernel" "--kernel: */straight.O3 is for riscv64, and the machine is x86_64" \
	"$WAYMARK" record --system --kernel "$elf" bin/qemu-system-x86_64
refused "single instructions" 'of a whole machine not recorded: single*' \
	"$WAYMARK" record --system --precise ./new
refused "one program's code" 'of a whole machine not recorded: --user-code*process:NAME*' \
	"$WAYMARK" record --system --user-code ./new
for accelerator in "-enable-kvm" "-accel kvm" "-M virt,accel=kvm:tcg" "--accel hvf -accel tcg"; do
	# shellcheck disable=SC2086 # words
	refused "$accelerator" 'of a whole machine not recorded: code that QEMU does not translate*' \
		"$WAYMARK" record --system ./new $accelerator
done
for word in -daemonize --daemonize; do
	refused "$word" 'of a whole machine not recorded: a QEMU that goes into the background*' \
		"$WAYMARK" record --system ./new -M virt $word
done
mkdir -p accepted
for accelerator in "-accel tcg,thread=single" "-machine accel=tcg:kvm,type=virt" "-accel help"; do
	# shellcheck disable=SC2086 # words
	run "$WAYMARK" record --system -o accepted/run.wmk ./new $accelerator
	check "$accelerator" test -s started
	rm -f started
done
refused "names without a file" 'names of code in a machine are those of --kernel*' \
	"$WAYMARK" record --system --start main ./new
refused "a name that is not there" 'no --kernel file has a symbol "mian"; did you mean "main"?' \
	"$WAYMARK" record --system --kernel "$elf" --start mian ./new
refused "a program's file" 'no --kernel file has a name that fits "sh"*process:NAME*' \
	"$WAYMARK" record --system --kernel "$elf" --only module:sh ./new
refused "processes without a Linux" 'processes of a machine are known of a Linux only*' \
	"$WAYMARK" record --system --kernel "$elf" --only process:sh ./new
refused "system calls without a Linux" 'system calls of a machine are known of a Linux only*' \
	"$WAYMARK" record --system --kernel "$elf" --start syscall:write ./new
refused "a variable" 'of a whole machine not recorded: options of user mode*' \
	"$WAYMARK" record --system -E A=1 ./new
refused "one process" 'of a whole machine not recorded: --no-follow*process:NAME*' \
	"$WAYMARK" record --system --no-follow ./new
refused "all processes" 'of a whole machine not recorded: *--wait all*' \
	"$WAYMARK" record --system --wait all ./new
refused "a managed program" 'of a whole machine not recorded: bytecodes (--guide cpython)*' \
	"$WAYMARK" record --system --guide cpython ./new
refused "a sysroot that is not there" '--sysroot nothing: No such file*' \
	"$WAYMARK" record --system -L . --sysroot nothing ./new
refused "a sysroot that is a text" '--sysroot */old is no folder, no initrd*' \
	"$WAYMARK" record --system -L old ./new
refused "--qemu" '--system takes the emulator as PROGRAM*' \
	"$WAYMARK" record --system --qemu ./new ./new
refused "--kernel alone" '--kernel is for --system' \
	"$WAYMARK" record --kernel "$elf" "$elf"
refused "a kernel that is not there" '--kernel nothing: No such file*' \
	"$WAYMARK" record --system --kernel nothing ./new
for address in 80200000 0xfw 0x 0; do
	refused "a kernel at $address" '--kernel old@*: behind @ belongs an address*' \
		"$WAYMARK" record --system --kernel "old@$address" ./new
done
refused "a kernel without names" '--kernel: */old has no names of code*' \
	"$WAYMARK" record --system --kernel old ./new

# A Linux, as far as its modules are found: code of these is named with its file.
cat >linux.c <<'END'
struct task_struct { int pid; char comm[16]; long __state; } init_task;
struct module_memory { void *base; unsigned size; };
struct mod_kallsyms { void *symtab; unsigned num_symtab; char *strtab; };
struct module { char name[56]; struct module_memory mem; struct mod_kallsyms *kallsyms; } module;
void __switch_to(void) {}
void do_init_module(void) {}
void vfs_read(void) {}
void _start(void) {}
END
riscv64-linux-gnu-gcc -gbtf -nostdlib -static -o vmlinux linux.c
later='FILE:NAME is of another file'
for where in "--start vfs_raed" "--window vfs_read..vfs_raed" "--value vfs_raed:a0"; do
	# shellcheck disable=SC2086 # words
	refused "Linux: $where" "no --kernel file has a symbol \"vfs_raed\"; did you mean \"vfs_read\"? $later" \
		"$WAYMARK" record --system --kernel vmlinux $where ./new
done
refused "Linux: a filter" "no --kernel file has a function \"of_module\"; $later" \
	"$WAYMARK" record --system --kernel vmlinux --only of_module ./new
refused "Linux: its own file" 'no --kernel file has a symbol "vfs_raed"*' \
	"$WAYMARK" record --system --kernel vmlinux --start vmlinux:vfs_raed ./new
for where in "--only vfs_read" "--only dummy:of_module" "--only *:of_module" "--only module:dummy"; do
	# shellcheck disable=SC2086 # words
	run "$WAYMARK" record --system -o accepted/run.wmk --kernel vmlinux $where -- ./new
	check "Linux: $where is taken" test -s started -a "$(grep -c 'kernel file' stderr)" -eq 0
	rm -f started
done

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
check "QEMU is started with its options" test "$(sed -n '6,$p' started | xargs)" = "-M virt -smp 2"
check "and with the plugin" grep -q '^-plugin$' started
check "a machine that does not start leaves no trace" test ! -e waymark.wmk

# Programs of an initrd, in whatever form Linux takes it, and of other archives.
initrd() { "$PYTHON" "$SRC/tests/guests/machine/initrd.py" "$elf" old "$@"; }
initrd plain.gz usr/lib/notes=old
zcat plain.gz >plain
xz -k --check=crc32 plain
zstd -q plain
cat plain plain.zst >both
mkdir -p tree/bin
cp "$elf" tree/bin/busybox
tar -cf tar -C tree .
for form in plain plain.gz plain.xz plain.zst both tar; do
	rm -rf cache/roots
	run "$WAYMARK" record --system --sysroot "$form" -- ./new
	check "$form: programs are unpacked" cmp -s cache/roots/$form-*/bin/busybox "$elf"
	check "$form: nothing else is" test "$(find cache/roots -type f | wc -l)" -eq 1
done
# Linux takes several compressed archives one behind the other, and so may each stream have
# several.
initrd more.gz usr/more="$elf"
zcat more.gz >more
zstd -q more
cat plain.gz more.gz >gz+gz
cat plain.zst more.zst >zst+zst
cat plain more | gzip >inside
(cat plain.gz && head -c 512 /dev/zero && cat more) >gz+plain
(cat plain more.gz plain.gz && echo "what is no archive") >behind
for form in gz+gz zst+zst inside gz+plain behind; do
	run "$WAYMARK" record --system --sysroot "$form" -- ./new
	check "$form: programs of the second one, too" cmp -s cache/roots/"$form"-*/usr/more "$elf"
done

# Programs with several names (hard links): cpio has the data behind the last of them.
"$PYTHON" - "$elf" <<-'END'
	import sys, tarfile
	program = open(sys.argv[1], "rb").read()
	with tarfile.open("names.tar", "w") as tar:
	    tar.add(sys.argv[1], "bin/first")
	    for other in ("bin/second", "usr/third"):
	        link = tarfile.TarInfo(other)
	        link.type, link.linkname = tarfile.LNKTYPE, "bin/first"
	        tar.addfile(link)
	def entry(name, mode, data=b""):
	    fields = [7, mode, 0, 0, 3, 0, len(data), 0, 0, 0, 0, len(name) + 1, 0]
	    head = b"070701" + b"".join(b"%08x" % field for field in fields) + name + b"\0"
	    return head + bytes(-len(head) % 4) + data + bytes(-len(data) % 4)
	with open("names.cpio", "wb") as cpio:
	    cpio.write(entry(b"bin/first", 0o100755) + entry(b"bin/second", 0o100755))
	    cpio.write(entry(b"usr/third", 0o100755, program) + entry(b"TRAILER!!!", 0))
	END
for form in names.tar names.cpio; do
	run "$WAYMARK" record --system --sysroot $form -- ./new
	for name in bin/first bin/second usr/third; do
		check "$form: $name" cmp -s cache/roots/$form-*/$name "$elf"
	done
done

# An archive that has changed since the last time: a link that leads elsewhere.
for target in first second; do
	rm -rf tree && mkdir -p tree && ln -s $target tree/link
	tar -cf changed -C tree .
	run "$WAYMARK" record --system --sysroot changed -- ./new
	check "the link leads to the $target" test "$(readlink cache/roots/changed-*/link)" = $target
done
rm -rf cache/roots
run "$WAYMARK" record --system -- ./new -initrd plain.zst
check "QEMU's -initrd is taken" cmp -s cache/roots/*/bin/busybox "$elf"
rm -rf cache/roots
run "$WAYMARK" record --system --sysroot more.gz -- ./new -initrd plain.zst
check "also beside --sysroot" cmp -s cache/roots/plain.zst-*/bin/busybox "$elf"
check "which is taken, too" cmp -s cache/roots/more.gz-*/usr/more "$elf"
run "$WAYMARK" record --system -- ./new -initrd old
check "and a file that is not one does no harm" test -e started

# Paths and links that lead out, a file in the place of a folder, and an archive that is cut.
initrd hostile.gz ../outside="$elf" bin/busybox/inside="$elf" /absolute="$elf"
rm -rf cache/roots
run "$WAYMARK" record --system --sysroot hostile.gz -- ./new
check "nothing is written outside" test ! -e cache/roots/outside -a ! -e cache/outside
check "an absolute path is inside" cmp -s cache/roots/hostile.gz-*/absolute "$elf"
mkdir -p out
"$PYTHON" - "$elf" <<-'END'
	import io, sys, tarfile
	program = open(sys.argv[1], "rb").read()
	with tarfile.open("links", "w") as tar:
	    link = tarfile.TarInfo("leads")
	    link.type, link.linkname = tarfile.SYMTYPE, "../../../out"
	    tar.addfile(link)
	    file = tarfile.TarInfo("leads/program")
	    file.size = len(program)
	    tar.addfile(file, io.BytesIO(program))
END
run "$WAYMARK" record --system --sysroot links -- ./new
check "nor through a link" test -z "$(ls out)"
check "which is there" test -L cache/roots/links-*/leads
head -c 9000 plain >cut
# Of the machines above, which did not start, nothing is left any more.
until_true sh -c '! ls waymark.wmk.* >left 2>&1'
refused "an archive that is cut" '--sysroot */cut cannot be unpacked to its end: *' \
	"$WAYMARK" record --system --sysroot cut ./new
head -c 300000 /dev/urandom >noise
initrd noise.gz noise=noise
head -c 200000 noise.gz >cut.gz
refused "a compressed archive that is cut" '--sysroot * its end: truncated gzip input' \
	"$WAYMARK" record --system --sysroot cut.gz ./new
refused "no folder for the files" '--sysroot *: there is no folder in the cache*' \
	env WAYMARK_CACHE=/dev/null/cache "$WAYMARK" record --system --sysroot plain ./new
rm -rf started cache/roots

# By a name: the one in PATH cannot be used, and the newest of the cache can.
emulator cache/qemu-10.2.9/bin/qemu-system-riscv64 10.2.9
run env PATH="$PWD/bin:$PATH" "$WAYMARK" record --system qemu-system-riscv64
check "the cache's is taken when that of PATH is too old" \
	grep -qx "$PWD/cache/qemu-10.2.9/bin/qemu-system-riscv64" started
finish
