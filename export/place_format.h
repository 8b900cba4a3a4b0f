/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where code is, in words for people. */
#ifndef EXPORT_PLACE_FORMAT_H
#define EXPORT_PLACE_FORMAT_H

#include <stdint.h>
#include <stdio.h>

/*
 * Writes where an address is: "shop::Book::match(int)+0x8" for a symbol as in the file, else
 * "[libc.so.6]+0x10" for a module, else "-". `offset` is in bytes from either; 0 is left out
 * behind a symbol. Returns the number of characters.
 */
int place_print(FILE *out, const char *symbol, const char *module, uint64_t offset);

#endif
