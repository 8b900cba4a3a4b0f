/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The fake QEMU's registers and memory; a test says what they hold (fake/qemu.h). */
#ifndef FAKE_REGISTERS_H
#define FAKE_REGISTERS_H

#include <stdbool.h>

/* Whether the callback that is called next may read registers. */
void fake_give_registers(bool gives);

#endif
