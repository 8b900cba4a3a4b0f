/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Options as the user gave them, which the trace file keeps. */
#ifndef CLI_RECORD_WORDS_H
#define CLI_RECORD_WORDS_H

#include "base/buf.h"

/* Appends an option and its value; NULL: it has none. */
void words_add(struct buf *words, const char *option, const char *value);
/* All of them as a string, which `words` owns; NULL without any, or without memory. */
const char *words_text(struct buf *words);

#endif
