#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# AArch64 machines under QEMU 11.1, as Debian builds it.

qemu=$("$SRC/tools/setup-qemu.sh" --system --packaged --target aarch64 11.1)
exec "$SRC/tests/long/machine-aarch64.sh" "$qemu"
