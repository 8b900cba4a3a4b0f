/* SPDX-License-Identifier: GPL-2.0-or-later */
/* UTF-8 (RFC 3629) in text from anywhere: no overlong forms, no surrogates. */
#ifndef BASE_UTF8_H
#define BASE_UTF8_H

#include <stddef.h>

/* Bytes of the sequence at `text`; 0: it is not valid. Stops at the final NUL. */
unsigned utf8_length(const char *text);

/* Columns that text takes where letters are of one width: 2 for East Asian characters. */
size_t utf8_columns(const char *text);
/* Bytes of the longest beginning of `text` that fits into `columns`. */
size_t utf8_fitting(const char *text, size_t columns);

#endif
