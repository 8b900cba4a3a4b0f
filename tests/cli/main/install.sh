#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# What is installed works where it is put, and a program can be built against it.

# shellcheck source=tests/cli/common
. "$(dirname "$0")/../common"

run meson install -C "$BUILD" --no-rebuild --destdir "$PWD/dest"
check "it installs" test "$status" -eq 0
bin=$(find dest -name waymark -type f -path '*/bin/*')
prefix=$PWD/${bin%/bin/waymark}

for file in bin/waymark lib/waymark/libwaymark-v1.so lib/waymark/libwaymark-v4.so \
	lib/waymark/libwaymark-v7.so \
	lib/waymark/setup-qemu lib/waymark/apt.sh lib/libwaymark.so include/waymark.h \
	include/waymark-explain.h include/waymark-machine.h include/waymark-mark.h \
	lib/pkgconfig/waymark.pc share/man/man1/waymark.1 share/man/man1/waymark-record.1 share/man/man7/waymark-mark.7 \
	share/bash-completion/completions/waymark share/zsh/site-functions/_waymark; do
	check "$file" test -s "$prefix/$file"
done

run "$prefix/bin/waymark" record -o run.wmk "$GUESTS/status.O0"
check "it finds its plugin" test "$status" -eq 7
api=$("$SRC/tests/plugin-api.sh" "$QEMU")
run "$QEMU" -plugin "$prefix/lib/waymark/libwaymark-v$api.so,out=hand.wmk" \
	"$GUESTS/status.O0"
check "its plugin finds it" "$prefix/bin/waymark" verify hand.wmk
for plugin in "$prefix"/lib/waymark/libwaymark-v*.so; do
	check "$(basename "$plugin") needs libc only" sh -c \
		"readelf -d '$plugin' | grep NEEDED | grep -qv 'libc\.so' && exit 1 || exit 0"
done
run "$prefix/bin/waymark" setup-qemu --help
check "it finds its scripts" test "$status" -eq 0 -a -s stdout

cat >count.c <<'END'
#include <stdio.h>
#include <waymark.h>

int main(int argc, char **argv)
{
	struct wm_summary summary;
	struct wm_cursor *cursor;
	struct wm_trace *trace;
	struct wm_error err;
	struct wm_step step;
	unsigned long long n = 0;

	if (argc < 2 || wm_trace_open(&trace, argv[1], &err) ||
	    wm_cursor_new(&cursor, trace, 0, &err))
		return 2;
	wm_trace_summary(trace, &summary);
	while (!wm_cursor_next_insn(cursor, &step, &err))
		n++;
	wm_cursor_free(cursor);
	wm_trace_close(trace);
	printf("%llu\n", n - summary.insns);
	return 0;
}
END
check "a program builds against it" cc -std=c17 -Wall -Werror -o count count.c \
	-I"$prefix/include" -L"$prefix/lib" -lwaymark
run env LD_LIBRARY_PATH="$prefix/lib" ./count run.wmk
check "and counts what info counts" grep -qx 0 stdout
package=$(find dest -name _library.py)
# A sanitized library needs its runtime before everything else.
ldd "$prefix/lib/libwaymark.so" | grep -q libasan ||
	run env -u WAYMARK_LIBRARY PYTHONPATH="${package%/waymark/*}" "$PYTHON" -c "
import waymark
with waymark.open('run.wmk') as trace:
    print(trace.summary.insns)"
check "the package for Python finds its library" test $status -eq 0 || cat stderr
# Debian's Python looks below /usr/local, in a folder that Meson does not know.
run env PATH="/usr/bin:/bin:$PATH" meson setup elsewhere "$SRC" --prefix=/usr/local
meson introspect --installed elsewhere >installed
check "Python finds the package that is installed" "$PYTHON" - <<-'END'
	import json, sys
	to = [to for to in json.load(open("installed")).values() if to.endswith("/_library.py")]
	assert to and to[0].rpartition("/waymark/")[0] in sys.path, to
END
printf '#include <waymark.h>\nint main() { return WM_OK; }\n' >cxx.cc
check "the header is C++ too" sh -c \
	"! command -v c++ >/dev/null || c++ -Wall -Werror -fsyntax-only -I'$prefix/include' cxx.cc"
nm -D --defined-only "$prefix/lib/libwaymark.so" | awk '$2 != "A" && $3 !~ /^wm_/ { print $3 }' >foreign
check "the library exports wm_ names only" test ! -s foreign
finish
