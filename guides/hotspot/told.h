/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which compiled code has been told, and is still there. Any thread may ask. */
#ifndef GUIDES_HOTSPOT_TOLD_H
#define GUIDES_HOTSPOT_TOLD_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Notes that code[bytes] of a Method is told. False: it has been told before, as the same.
 * Without memory nothing is noted, and code is told again.
 */
bool told_add(const char *method, const void *code, uint32_t bytes);
/* The code at that address is gone. */
void told_remove(const void *code);

#endif
