// SPDX-License-Identifier: GPL-2.0-or-later
/* A note is a system call that no kernel has: without a recorder it does nothing. */
#define _GNU_SOURCE
#include "guides/cpython/text.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NOTE_CALL 0x574d4b
enum { VARINT_MOST = 10 };

static bool reserve(struct text *text, size_t bytes)
{
	size_t room = 2 * (text->len + bytes) + 256;
	uint8_t *grown;

	if (text->len + bytes <= text->room)
		return true;
	grown = realloc(text->data, room);
	if (!grown)
		return false;
	text->data = grown;
	text->room = room;
	return true;
}

void text_put(struct text *text, const void *data, size_t bytes)
{
	if (!reserve(text, bytes))
		return;
	memcpy(text->data + text->len, data, bytes);
	text->len += bytes;
}

void text_put_varint(struct text *text, uint64_t value)
{
	/* Most of a note are numbers, so none takes a call for each byte. */
	if (!reserve(text, VARINT_MOST))
		return;
	for (; value >= 0x80; value >>= 7)
		text->data[text->len++] = (uint8_t)(value | 0x80);
	text->data[text->len++] = (uint8_t)value;
}

void text_put_string(struct text *text, const char *string)
{
	size_t bytes = string ? strlen(string) : 0;

	text_put_varint(text, bytes);
	text_put(text, string, bytes);
}

void text_put_cut(struct text *text, const void *string, size_t bytes, size_t most)
{
	static const char more[] = "…";
	const uint8_t *all = string;
	size_t kept = most;

	if (bytes <= most) {
		text_put_varint(text, bytes);
		text_put(text, string, bytes);
		return;
	}
	while (kept && (all[kept] & 0xc0) == 0x80)
		kept--;
	text_put_varint(text, kept + sizeof(more) - 1);
	text_put(text, string, kept);
	text_put(text, more, sizeof(more) - 1);
}

void text_send(int kind, struct text *text)
{
	if (text->len)
		syscall(NOTE_CALL, kind, text->data, text->len);
	free(text->data);
}
