/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Options of `record`: how much of the recording is kept, and whether it is at all. */
#ifndef CLI_RECORD_KEEP_H
#define CLI_RECORD_KEEP_H

#include <argp.h>

#include "collect/keep.h"
#include "collect/newest.h"

struct record_keep {
	struct newest_wish last;
	const char *last_text; /* what the user wrote; NULL: nothing */
	struct keep_rules rules;
};

/* For a parser's children; the input is a struct record_keep. */
extern const struct argp record_keep_argp;

/* Says, when it is so, that the file at `path` has more than was asked for. */
void record_keep_check(const struct record_keep *keep, const char *path);

#endif
