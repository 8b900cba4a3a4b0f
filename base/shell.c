// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A word that means the same with and without quotes is put as it is; all others are
 * quoted whole, so nothing in them is special but the quote itself: it's is 'it'\''s'.
 */
#include "base/shell.h"

#include <stdbool.h>
#include <string.h>

#include "base/buf.h"

static bool is_plain(const char *word)
{
	return *word && !word[strspn(word, "abcdefghijklmnopqrstuvwxyz"
					   "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
					   "0123456789_-+=./,:@%")];
}

void shell_put_word(struct buf *line, const char *word)
{
	if (line->len)
		buf_put_u8(line, ' ');
	if (is_plain(word)) {
		buf_put(line, word, strlen(word));
		return;
	}
	buf_put_u8(line, '\'');
	for (; *word; word++) {
		if (*word == '\'')
			buf_put(line, "'\\''", 4);
		else
			buf_put_u8(line, (uint8_t)*word);
	}
	buf_put_u8(line, '\'');
}
