#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Files are found by their build-id wherever they lie: below --symfs, by their debug link, in
# .build-id, in the user's cache, and at a debuginfod server.

# shellcheck source=tests/cli/common
. "$(dirname "$0")/../common"

objcopy=${CROSS_OBJCOPY:-riscv64-linux-gnu-objcopy}
"${CROSS_CC:-riscv64-linux-gnu-gcc}" -O2 -g -static -Wl,--build-id=sha1 -o program \
	"$SRC/tests/cli/names/inlined.c"
id=$(readelf -n program | sed -n 's/.*Build ID: //p')
rest=${id#??}
first=${id%"$rest"}
"$WAYMARK" record --no-pack -o run.wmk ./program 7 >out
unset DEBUGINFOD_URLS
export HOME="$PWD/home" XDG_CACHE_HOME=
mkdir home kept

# answers OPTION...: names and lines.
answers() {
	"$WAYMARK" hot --format csv -f insns,function "$@" run.wmk 2>remarks
	"$WAYMARK" hot --by line --format csv -f insns,line "$@" run.wmk 2>>remarks
}
answers >wanted
"$objcopy" --only-keep-debug program kept/program.debug
"$objcopy" --strip-all program kept/stripped
mv program kept/program

answers >got
check "nowhere: a remark, and no names" \
	sh -c 'grep -q "is missing: names and lines" remarks && ! grep -q work got'
check "info: none" sh -c '"$WAYMARK" info run.wmk >info && grep -q " none  *program$" info'

# found NAME: the answers are the wanted ones, without a remark.
found() {
	what=$1
	shift
	answers "$@" >got
	same "$what" wanted got
	check "$what: no remark" [ ! -s remarks ]
}
mkdir -p "far$PWD" flat
cp kept/program "far$PWD/program"
cp kept/program flat/program
found "--symfs: the path below it" --symfs "$PWD/far"
found "--symfs: the name in it" --symfs flat
check "info: elsewhere" \
	sh -c '"$WAYMARK" info --symfs flat run.wmk >info && grep -q " elsewhere  *program$" info'
check "info: where" sh -c '"$WAYMARK" info --symfs flat --format json run.wmk >info &&
	grep -q "\"names\": \"elsewhere\"" info && grep -q "\"found\": \"flat/program\"" info'
"${CROSS_CC:-riscv64-linux-gnu-gcc}" -O0 -static -Wl,--build-id=sha1 -o flat/program \
	"$SRC/tests/cli/names/inlined.c"
answers --symfs flat >got
check "another build below --symfs is not taken" sh -c '! grep -q work got'
for command in info hot verify sql diff; do
	misused "$command: --symfs is no folder" '--symfs: "none" is no folder' \
		"$WAYMARK" $command --symfs none run.wmk
done

mkdir -p home/.cache/waymark/build-id/"$first"
cp kept/program home/.cache/waymark/build-id/"$first/$rest"
found "the user's cache"
rm -r home/.cache

"$WAYMARK" sql --format csv run.wmk "select distinct function from insns" >got
check "sql: no names" sh -c '! grep -q work got'
cp kept/program flat/program
"$WAYMARK" sql --format csv --symfs flat run.wmk "select distinct function from insns" >got
check "sql --symfs" grep -q '^work' got
rm flat/program

# ---- a stripped file, and its symbols elsewhere ----------------------------------

cp kept/stripped program
answers >got
check "stripped: no names" sh -c '! grep -q work got'
mkdir -p usr/lib/debug/.build-id/"$first"
cp kept/program.debug usr/lib/debug/.build-id/"$first/$rest.debug"
found "a debug file by build-id in a folder above"
rm -r usr
cp kept/program.debug program.debug
"$objcopy" --add-gnu-debuglink=program.debug program
found "a debug file by its link"
mkdir .debug
mv program.debug .debug/program.debug
found "the same in .debug"
"${CROSS_CC:-riscv64-linux-gnu-gcc}" -O0 -g -static -Wl,--build-id=sha1 -o .debug/program.debug \
	"$SRC/tests/cli/names/inlined.c"
answers >got
check "a link to another build is not taken" sh -c '! grep -q work got'
rm -r .debug
rm program

# Without a build-id the link's CRC tells which file it is.
cp kept/program plain
"$objcopy" --remove-section=.note.gnu.build-id plain
"$WAYMARK" record --no-pack -o plain.wmk ./plain 7 >out
"$WAYMARK" hot --format csv -f insns,function plain.wmk >wanted.plain
"$objcopy" --only-keep-debug plain plain.debug
"$objcopy" --strip-all --add-gnu-debuglink=plain.debug plain
"$WAYMARK" hot --format csv -f insns,function plain.wmk >got.plain
same "a debug file by the CRC of its link" wanted.plain got.plain
printf 'x' >>plain.debug
"$WAYMARK" hot --format csv -f insns,function plain.wmk >got.plain
check "not one with another CRC" sh -c '! grep -q work got.plain'

# ---- servers ---------------------------------------------------------------------

if ! ldconfig -p | grep -q libdebuginfod.so.1; then
	echo "ok a server # SKIP libdebuginfod is not installed"
	finish
	exit
fi
mkdir -p "www/buildid/$id"
cp kept/program "www/buildid/$id/executable"
cp kept/program.debug "www/buildid/$id/debuginfo"
"$PYTHON" "$SRC/tests/cli/names/serve.py" www port >served 2>&1 &
server=$!
until_true test -s port
DEBUGINFOD_URLS="http://127.0.0.1:$(cat port)"
export DEBUGINFOD_URLS
found "a server has the program"
check "it was asked by build-id" grep -q "/buildid/$id/executable" served
kill $server
found "the server is gone, and the cache has it"
finish
