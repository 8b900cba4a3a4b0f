/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Options of `record`: how much of the recording is kept, and under which conditions. */
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

/* Reports if the file at `path` is larger than --last allows. */
void record_keep_check(const struct record_keep *keep, const char *path);

#endif
