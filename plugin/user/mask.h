/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The calling thread's signal mask at execve(), which the next program begins with. Bit n is
 * signal n + 1, as the kernel has it.
 */
#ifndef PLUGIN_USER_MASK_H
#define PLUGIN_USER_MASK_H

#include <stdbool.h>
#include <stdint.h>

/* At the start of a program: of one that execve() has started, its mask as mask=HEX, or NULL. */
void mask_begin(const char *hex);
/*
 * Blocks all signals; *mask is what was blocked before. False, and nothing is changed, when a
 * signal waits in QEMU for its handler.
 */
bool mask_take(uint64_t *mask);
void mask_set(uint64_t mask);

#endif
