/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The bytes of a note while it is made. Where there is no memory for more, they end. */
#ifndef GUIDES_CPYTHON_TEXT_H
#define GUIDES_CPYTHON_TEXT_H

#include <stddef.h>
#include <stdint.h>

struct text {
	uint8_t *data;
	size_t len, room;
};

void text_put(struct text *text, const void *data, size_t bytes);
void text_put_varint(struct text *text, uint64_t value);
/* NULL: an empty one. */
void text_put_string(struct text *text, const char *string);
/* A string of at most that many bytes of UTF-8: of a longer one the begin, and "…". */
void text_put_cut(struct text *text, const void *string, size_t bytes, size_t most);
/* Sends a note of that kind, if it has any bytes, and frees them. */
void text_send(int kind, struct text *text);

#endif
