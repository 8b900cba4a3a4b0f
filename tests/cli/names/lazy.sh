#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The first call of a library's function goes through the dynamic linker, which is stripped: it is
# a call of that function all the same, also from a library that is stripped itself.

# shellcheck source=tests/cli/common
. "$(dirname "$0")/../common"

cat >deep.c <<'END'
int deep(int n)
{
	return n;
}
END
cat >work.c <<'END'
int deep(int n);

int work(int n)
{
	return deep(n) * 3;
}
END
cat >main.c <<'END'
int work(int n);

int main(void)
{
	return work(work(0));
}
END

# lazy ISA COMPILER: runs the program, whose library is bound when it is called.
lazy() {
	isa=$1
	sysroot=/usr/${2%-gcc}
	[ "$isa" != x86_64 ] || sysroot=/
	"$2" -O1 -shared -fPIC -o libdeep.so deep.c
	"$2" -O1 -shared -fPIC -s -Wl,-z,lazy -Wl,-rpath,"$PWD" -o libwork.so work.c -L. -ldeep
	"$2" -O1 -Wl,-z,lazy -Wl,-rpath,"$PWD" -Wl,-rpath-link,. -o "$isa" main.c -L. -lwork
	"$WAYMARK" record -L "$sysroot" -o "$isa.wmk" "./$isa"
	# Where the linker has symbols, or a debug file, its variants have their own names.
	check "the linker's function has its name: $isa" sh -c '
		"$WAYMARK" hot --format csv -f function,module "$1.wmk" |
			grep -q "^_dl_runtime_resolve[a-z_]*,ld-"' sh "$isa"
}

# followed: main() calls work() twice, which calls deep(), and nobody else does.
followed() {
	"$WAYMARK" calls --graph --format csv -f caller,callee,calls "$isa.wmk" >"$isa.graph"
	grep -E ',(work|deep),' "$isa.graph" | sort >"$isa.got" || :
	printf '%s\n' main,work,2 work,deep,2 >wanted
	same "each call is of who made it: $isa" wanted "$isa.got"
}
lazy riscv64 "${CROSS_CC:-riscv64-linux-gnu-gcc}"
followed
lazy aarch64 aarch64-linux-gnu-gcc
followed
lazy x86_64 x86_64-linux-gnu-gcc
followed
lazy i386 i686-linux-gnu-gcc # it enters what it has found by a return
finish
