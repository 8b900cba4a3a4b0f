#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The source that `make dist` packs builds as Debian packages, which lintian finds nothing
# wrong with, and whose command records and answers from where dpkg puts it.

# shellcheck source=tests/cli/common
. "$(dirname "$0")/../cli/common"

for tool in dpkg-buildpackage lintian dh dh_python3; do
	command -v $tool >/dev/null || missing=${missing-}\ $tool
done
if [ -n "${missing-}" ]; then
	failed "tools" "missing:$missing (apt-get install debhelper dh-python lintian)"
	finish
fi
make -s -C "$SRC" dist BUILD="$BUILD" DIST="$PWD" >log 2>&1 || cat log
tar xf waymark-*.tar.xz
check "the tarball has the source" test -s waymark-*/meson.build
cd waymark-*/
if dpkg-buildpackage -us -uc >../build.log 2>&1; then
	passed "the packages are built"
else
	failed "the packages are built" "$(tail -n 30 ../build.log)"
fi
cd ..
for package in waymark libwaymark1 libwaymark-dev python3-waymark; do
	check "$package" sh -c "ls ${package}_*.deb"
done
# What it has to say of readelf, and of a package's first upload to Debian, is not about these.
lintian --suppress-tags initial-upload-closes-no-bugs ./*.changes >found 2>/dev/null || true
grep -E '^[EW]:' found >faults || true
check "lintian finds nothing: $(head -c 2000 faults | tr '\n' ';')" test ! -s faults
mkdir root
for package in ./*.deb; do dpkg-deb -x "$package" root; done
run root/usr/bin/waymark record -o run.wmk "$GUESTS/status.O0"
check "the packaged command records" test "$status" -eq 7
LD_LIBRARY_PATH=root/usr/lib PYTHONPATH=root/usr/lib/python3/dist-packages python3 -c '
import waymark
print(waymark.open("run.wmk").summary.insns)' >counted 2>&1 || cat counted
check "the packaged module reads" grep -qE '^[0-9]+$' counted
run root/usr/bin/waymark report run.wmk
check "the packaged report is whole" test -s waymark.html
finish
