/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which compiled code has been told, and is still there. Any thread may ask. */
#ifndef GUIDES_HOTSPOT_TOLD_H
#define GUIDES_HOTSPOT_TOLD_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Notes that the agent tells code[bytes] of a Method. False: it has told the same bytes of the same
 * method before. Without memory this is true each time.
 */
bool told_add(const char *method, const void *code, uint32_t bytes);
/* The code at that address is gone. */
void told_remove(const void *code);

#endif
