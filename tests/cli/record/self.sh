#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# A program cannot tell that it is recorded.

# shellcheck source=tests/cli/common
. "$(dirname "$0")/../common"

for name in self group; do
	"${CROSS_CC:-riscv64-linux-gnu-gcc}" -static -O1 -o $name "$SRC/tests/cli/record/$name.c"
done
exec "$PYTHON" "$SRC/tests/cli/record/self.py" "$(command -v "$QEMU")" "$WAYMARK" \
	"$PWD/self" "$PWD/group"
