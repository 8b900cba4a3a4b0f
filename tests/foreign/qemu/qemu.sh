#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# QEMU's own tests of user mode, all of them: they do under a recorder what they do without.

exec "$SRC/tests/foreign/suite.sh" qemu
