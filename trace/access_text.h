/* SPDX-License-Identifier: GPL-2.0-or-later */
/* An access in words, the same ones in every answer. */
#ifndef TRACE_ACCESS_TEXT_H
#define TRACE_ACCESS_TEXT_H

#include "waymark.h"

#define ACCESS_VALUE_TEXT 40

/* "load" or "store"; of other values "register", "written", "memory", "returned". */
const char *access_kind(const struct wm_access *access);
/* Whether it is of a register, whose number is its address. */
bool access_is_register(const struct wm_access *access);
/* Its data as a number in hexadecimal, "0x002a" of two bytes; "" when not recorded. */
const char *access_value(char text[ACCESS_VALUE_TEXT], const struct wm_access *access);

#endif
