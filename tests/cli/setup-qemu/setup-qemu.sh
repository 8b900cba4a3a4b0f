#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# setup-qemu, up to the building itself: Debian and its source are made up here. That the
# real ones work is what tests/qemu.sh shows.

# shellcheck source=tests/cli/common
. "$(dirname "$0")/../common"

mkdir bin cache
export WAYMARK_CACHE="$PWD/cache" WORLD="$PWD"

# fake NAME: a program that comes before the machine's; its body from stdin.
fake() {
	{ echo '#!/bin/sh'; cat; } >"bin/$1"
	chmod +x "bin/$1"
}
fake apt-get <<'END'
case "$*" in
*indextargets*) echo "Debian|http://nowhere.invalid/debian/" ;;
*update*) [ ! -e "$WORLD/offline" ] || { echo "E: no network" >&2; exit 100; } ;;
*source*qemu=1:10.2.3*) echo "404" ; exit 100 ;; # in the lists, but not on the mirror
*install*qemu-system-riscv=1:11.1.9*) # -c DIR/conf ...
	cp "$WORLD/qemu-system.deb" "${2%/conf}/cache/archives/"
	;;
*source*) echo "${*##*qemu=}" | tee -a "$WORLD/fetched" >qemu.dsc ;;
*download*) # the packages that were asked for
	all="$*"
	for package in ${all##* download }; do
		echo "$package" >>"$WORLD/downloaded"
		cp "$WORLD/module.deb" "$package.deb"
	done
	;;
esac
END
fake apt-cache <<'END'
case "$*" in *qemu-system-riscv)
	cat <<LIST
qemu-system-riscv | 1:11.1.9+ds-1 | http://nowhere.invalid/debian unstable/main amd64 Packages
qemu-system-riscv | 1:10.0.2+ds-1 | http://nowhere.invalid/debian testing/main amd64 Packages
LIST
	exit 0 ;;
*" meson")
	for version in 1.4.0-1 1.5.1-1 1.9.1-1; do
		echo " meson | $version | http://nowhere.invalid/debian some/main amd64 Packages"
	done
	exit 0 ;;
esac
cat <<LIST
      qemu | 1:7.2+dfsg-7+deb12u18 | http://nowhere.invalid/debian oldstable/main Sources
      qemu | 1:10.2.2+ds-1 | http://nowhere.invalid/debian stable/main Sources
      qemu | 1:10.2.3+ds-1 | http://nowhere.invalid/debian unstable/main Sources
      qemu | 1:11.1.1+ds-1 | http://nowhere.invalid/debian testing/main Sources
      qemu | 1:12.0.0+ds-1 | http://nowhere.invalid/debian unstable/main Sources
LIST
END
# dpkg-source -x: a QEMU whose emulators say what ./answer has. 11.1 wants modules of Python, and
# device trees that Debian's source has not compiled.
fake dpkg-source <<'END'
for last; do :; done
[ "$last" != --version ] || exit 0
mkdir "$last"
if grep -q 11.1 "$3"; then
	mkdir -p "$last/pc-bios/dtb"
	: >"$last/pc-bios/dtb/bamboo.dts"
	cat >"$last/pythondeps.toml" <<'DEPS'
[meson]
meson = { accepted = ">=1.5.0", installed = "1.11.1", canary = "meson" }
pycotap = { accepted = ">=1.1.0", installed = "1.3.1" }
[docs]
sphinx = { accepted = ">=3.4.3", installed = "6.2.1", canary = "sphinx-build" }
[tooling]
"qemu.qmp" = { accepted = ">=0.0.5", installed = "0.0.6" }
DEPS
fi
cat >"$last/configure" <<'CONFIGURE'
#!/bin/sh
echo "$@" >"$WORLD/configured"
if [ -d ../qemu/pc-bios ]; then
	ls ../qemu/pc-bios/dtb "$PYTHONPATH" >"$WORLD/found"
fi
if [ -e "$WORLD/hang" ]; then
	sleep 1000 &
	echo $! >"$WORLD/sleeper"
	wait
fi
[ ! -e "$WORLD/broken" ] || { echo "ERROR: this cannot be configured"; exit 1; }
{
	echo 'rule make'
	echo '  command = cp $$WORLD/answer $out && chmod +x $out'
	for arch in riscv64 riscv32 aarch64 arm x86_64 i386; do
		echo "build qemu-$arch: make"
	done
	for arch in riscv64 aarch64 x86_64; do
		echo "build qemu-system-$arch: make"
	done
} >build.ninja
CONFIGURE
chmod +x "$last/configure"
END
fake strip </dev/null
cat >answer <<'END'
#!/bin/sh
echo "qemu-riscv64 version 10.2.2 (Debian)"
END

setup() { run env PATH="$PWD/bin:$PATH" "$WAYMARK" setup-qemu "$@"; }
nothing_left() { check "$1 leaves nothing" test "$(ls cache)" = "${2-lock-qemu}"; }
# says NAME STATUS PATTERN: the exit status, and a line of stderr.
says() {
	check "$1: exit status $2" test "$status" -eq "$2"
	check "$1: says why" grep -q -- "$3" stderr
}

# ---- arguments ---------------------------------------------------------------

setup --help
check "--help" test "$status" -eq 0 -a -s stdout -a ! -s stderr
misused "no such option" "unrecognized option '--frob'*" \
	"$WAYMARK" setup-qemu --frob
refused "no version" '"ten" is no version*' "$WAYMARK" setup-qemu ten
misused "two versions" 'one version at a time*' "$WAYMARK" setup-qemu 10.2 10.0
refused "an unknown target" 'there is no target "vax"*' \
	"$WAYMARK" setup-qemu --target vax 10.2
nothing_left "a mistake" ""

# ---- what cannot be had ------------------------------------------------------

: >offline
setup 10.2
says "no network" 2 'update failed'
nothing_left "no network"
setup --list
check "--list without network" test "$status" -eq 0
rm offline

setup 9.2
says "a version Debian lacks" 1 'no QEMU 9.2 now; it has 12.0.0 11.1.1 10.2.3 10.2.2 7.2'
nothing_left "a version Debian lacks"
setup 10.20
says "10.20 is no 10.2" 1 'no QEMU 10.20'

: >broken
setup 10.2
says "a build that fails" 2 'configuring QEMU failed'
check "its last words are shown" grep -q 'cannot be configured' stderr
nothing_left "a build that fails"
rm broken

cp answer good
printf '#!/bin/sh\nexit 1\n' >answer
setup 10.2
says "a QEMU without plugins" 2 'takes no plugins'
nothing_left "a QEMU without plugins"
mv good answer

fake pkg-config <<'END'
case "$*" in *glib*) exit 1 ;; esac
END
setup 10.2
says "something missing" 2 'lacks libglib2.0-dev; .*apt-get install libglib2.0-dev'
nothing_left "something missing"
rm bin/pkg-config

# Interrupted: everything it had started ends as well.
for signal in INT TERM HUP; do
	: >hang
	rm -f sleeper
	# A background job of a script ignores SIGINT, so it is given back.
	PATH=$PWD/bin:$PATH \
		"$PYTHON" "$SRC/tests/cli/setup-qemu/setup-qemu_facts.py" interruptible "$WAYMARK" setup-qemu 10.2 >stdout 2>stderr &
	job=$!
	until [ -s sleeper ] || ! kill -0 $job; do sleep 0.1; done
	kill -$signal $job
	status=0
	wait $job || status=$?
	check "SIG$signal ends it" test "$status" -gt 128
	nothing_left "SIG$signal"
	sleeper=$(cat sleeper)
	while kill -0 "$sleeper" 2>/dev/null; do sleep 0.1; done
	rm hang
done

# ---- what can ----------------------------------------------------------------

mkdir cache/tmp-qemu.killed
setup --target riscv64,riscv32 10.2
check "it builds" test "$status" -eq 0
printf '%s\n' "$PWD/cache/qemu-10.2.2/bin/qemu-riscv64" \
	"$PWD/cache/qemu-10.2.2/bin/qemu-riscv32" >wanted
same "it prints where they are" wanted stdout
check "the emulators are installed" test -x cache/qemu-10.2.2/bin/qemu-riscv64
check "with plugins" grep -q -- '--enable-plugins' configured
check "for these guests" \
	grep -q -- '--target-list=riscv64-linux-user,riscv32-linux-user ' configured
check "the newest that could be had" grep -q '^1:10\.2\.2' fetched
check "remains of a killed build are removed" test ! -e cache/tmp-qemu.killed

: >fetched
setup 10.2 -t riscv64
check "an installed version is not built again" test "$status" -eq 0 -a ! -s fetched
setup -t riscv64
check "an installed target is not built again" test "$status" -eq 0 -a ! -s fetched
setup 10.2
check "a version that lacks a target is built again" test "$status" -eq 0 -a -s fetched
check "then all targets are installed" test -x cache/qemu-10.2.2/bin/qemu-i386
: >fetched
setup --force 10.2.2 --target=riscv64
check "--force builds it again" test "$status" -eq 0 -a -s fetched
: >fetched
printf '#!/bin/sh\nexit 127\n' >cache/qemu-10.2.2/bin/qemu-riscv64
setup -t riscv64
check "one that does not run any more is built again" test "$status" -eq 0 -a -s fetched

# One that wants more than Meson.
mkdir -p module/DEBIAN module/usr/lib/python3/dist-packages
cat >module/DEBIAN/control <<-END
	Package: module
	Version: 1
	Architecture: all
	Maintainer: nobody <nobody@example.org>
	Description: a test
END
: >module/usr/lib/python3/dist-packages/module.py
dpkg-deb --root-owner-group -b module module.deb >/dev/null
sed s/10.2.2/11.1.1/ answer >newer
cp answer older && cp newer answer
setup -t riscv64 11.1
cp older answer
if /usr/bin/python3 -c 'import setuptools, wheel' 2>/dev/null; then
	check "11.1 is built" test "$status" -eq 0 -a -x cache/qemu-11.1.1/bin/qemu-riscv64
	printf '%s\n' meson=1.5.1-1 python3-pycotap python3-qemu-qmp >wanted
	same "with the oldest Meson that will do, and modules" wanted downloaded
	check "which it finds" grep -q '^module.py$' found
	check "and device trees" grep -q '^bamboo.dtb$' found
	check "no word that it is not tested" sh -c '! grep -q "is tested with" stderr'
else
	says "modules that the machine has to have" 2 'lacks.* python3-wheel'
fi
rm -rf cache/qemu-11.1.1

# Two at once: the second waits, and finds the work done.
rm -r cache/qemu-10.2.2
: >hang
rm -f sleeper
: >fetched
PATH=$PWD/bin:$PATH "$WAYMARK" setup-qemu 10.2 >first 2>first.err &
first=$!
until [ -s sleeper ] || ! kill -0 $first; do sleep 0.1; done
PATH=$PWD/bin:$PATH "$WAYMARK" setup-qemu 10.2 >second 2>second.err &
second=$!
until grep -q waiting second.err || ! kill -0 $second; do sleep 0.1; done
rm hang
kill "$(cat sleeper)"
wait $first || true
wait $second || true
same "two at once find the same" first second
check "and build it once" test "$(wc -l <fetched)" -eq 1

# ---- a whole machine ---------------------------------------------------------------

refused "a machine of another kind" 'there is no target "arm"; they are: riscv64 aarch64 x86_64' \
	"$WAYMARK" setup-qemu --system --target arm
: >fetched
setup --system
check "--system builds it" test "$status" -eq 0 -a -s fetched
for arch in riscv64 aarch64 x86_64; do
	printf '%s\n' "$PWD/cache/qemu-10.2.2/bin/qemu-system-$arch"
done >wanted
same "--system prints where it is" wanted stdout
check "for machines" grep -q -- '--target-list=riscv64-softmmu,aarch64-softmmu,x86_64-softmmu .*--enable-system' configured
: >fetched
setup -s 10.2.2
check "an installed machine is not built again" test "$status" -eq 0 -a ! -s fetched

# Debian's own: a package with a program, and with a loader that runs it.
mkdir -p package/DEBIAN package/usr/bin package/usr/lib/some-linux-gnu
cat >package/DEBIAN/control <<-END
	Package: qemu-system-riscv
	Version: 1
	Architecture: all
	Maintainer: nobody <nobody@example.org>
	Description: a test
END
for arch in riscv64 aarch64 x86_64; do
	printf '#!/bin/sh\necho "QEMU emulator version 11.1.9 $*"\n' >package/usr/bin/qemu-system-$arch
done
printf '#!/bin/sh\nshift 2\nexec "$@"\n' >package/usr/lib/some-linux-gnu/ld-linux-some.so.1
chmod +x package/usr/bin/* package/usr/lib/*/*
dpkg-deb --root-owner-group -b package qemu-system.deb >/dev/null
refused "no folder for it" 'there is no HOME to keep files in: set it, or WAYMARK_CACHE' \
	env -u HOME -u XDG_CACHE_HOME -u WAYMARK_CACHE "$WAYMARK" setup-qemu --list
refused "a package of user mode" '--packaged needs --system*' \
	"$WAYMARK" setup-qemu --packaged
setup --system --packaged 9.9
says "a package Debian lacks" 1 'no package of QEMU 9.9 now; it has 11.1.9 10.0.2'
setup --system --packaged --target riscv64
packaged=$PWD/cache/qemu-11.1.9/bin/qemu-system-riscv64
echo "$packaged" >wanted
same "--packaged prints where it is" wanted stdout
check "it is started with its libraries" sh -c '"$1" -M virt | grep -q " -M virt$"' - "$packaged"
setup --system --packaged --target aarch64
check "another one's package leaves it" sh -c '"$1" -version && "${1%riscv64}aarch64" -version' - "$packaged" >out
check "--packaged leaves nothing else" test "$(echo cache/tmp-*)" = 'cache/tmp-*'

setup --list
check "--list shows installed versions" \
	grep -q '^10\.2\.2 .*1:10\.2\.2+ds-1 in stable; here: riscv64 ' stdout
check "--list shows versions that are not installed" grep -q '^12\.0\.0 ' stdout
finish
