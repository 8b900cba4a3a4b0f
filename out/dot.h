/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Texts in graphviz's language, DOT. */
#ifndef OUT_DOT_H
#define OUT_DOT_H

#include <stdio.h>

/* What stands inside a quoted string: quotes are escaped, control characters replaced. */
static inline void dot_put_escaped(FILE *out, const char *text)
{
	for (; *text; text++) {
		if (*text == '"' || *text == '\\')
			putc('\\', out);
		putc((unsigned char)*text < ' ' ? '?' : *text, out);
	}
}

#endif
