// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Words are separated by one space and are not quoted: the text is for people to read in
 * `waymark info`, not to be parsed again. Example: "--only sort --except module:libc*".
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

const char *words_text(struct buf *words)
{
	if (words->len)
		buf_put_u8(words, 0);
	return words->len && !words->failed ? (const char *)words->data : NULL;
}
