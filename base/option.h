/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Words of QEMU's command line. */
#ifndef BASE_OPTION_H
#define BASE_OPTION_H

#include <stdbool.h>
#include <string.h>

/* Whether a word is the option `name`: QEMU takes one hyphen or two. */
static inline bool option_is(const char *word, const char *name)
{
	return *word == '-' && !strcmp(word + 1 + (word[1] == '-'), name);
}

#endif
