#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# AArch64 machines under QEMU 10.0, as Debian 13 builds it: traps are seen where they lead to.

qemu=$("$SRC/tools/setup-qemu.sh" --system --packaged --target aarch64 10.0)
exec "$SRC/tests/long/machine-aarch64.sh" "$qemu"
