#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# On a terminal: the guest's keys are its own, and so is job control.

# shellcheck source=tests/cli/common
. "$(dirname "$0")/../common"

"${CROSS_CC:-riscv64-linux-gnu-gcc}" -std=gnu17 -static -O1 -o tty "$SRC/tests/cli/record/tty.c"
exec "$PYTHON" "$SRC/tests/cli/record/terminal.py" "$WAYMARK" ./tty \
	"$GUESTS/steering/calls.O3"
