// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Joins the options that restrict a recording into one text, which is stored in the trace
 * and shown by `waymark info`. Words are separated by one space and not quoted: the text
 * is for people and is not parsed again. Example: "--only sort --except module:libc*".
 */
#include "cli/record/words.h"

#include <string.h>

static void add(struct buf *words, const char *word)
{
	if (words->len)
		buf_put_u8(words, ' ');
	buf_put(words, word, strlen(word));
}

void words_add(struct buf *words, const char *option, const char *value)
{
	add(words, option);
	if (value)
		add(words, value);
}

/* NULL when there are no words or no memory; the caller tests words->failed. */
const char *words_text(struct buf *words)
{
	if (words->len)
		buf_put_u8(words, 0);
	return words->len && !words->failed ? (const char *)words->data : NULL;
}
