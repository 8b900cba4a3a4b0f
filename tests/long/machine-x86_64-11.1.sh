#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# x86 machines under QEMU 11.1, as Debian builds it.

qemu=$("$SRC/tools/setup-qemu.sh" --system --packaged --target x86_64 11.1)
exec "$SRC/tests/long/machine-x86_64.sh" "$qemu"
