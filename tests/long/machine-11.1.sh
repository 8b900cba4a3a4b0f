#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Whole machines under QEMU 11.1, as Debian builds it.

qemu=$("$SRC/tools/setup-qemu.sh" --system --packaged --target riscv64 11.1)
exec "$SRC/tests/long/machine.sh" "$qemu"
