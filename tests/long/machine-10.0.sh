#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Whole machines under QEMU 10.0, as Debian 13 builds it: traps are seen where they lead to.

qemu=$("$SRC/tools/setup-qemu.sh" --system --packaged --target riscv64 10.0)
exec "$SRC/tests/long/machine.sh" "$qemu"
