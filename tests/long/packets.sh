#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Every guest as RISC-V trace packets and back.

ROUNDTRIP='*.O0 *.O3 *.nc threads/*.O3 faults/*.O3' exec "$SRC/tests/cli/packets/roundtrip.sh"
