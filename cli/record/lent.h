/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What guides add to managed programs that the guest begins by execve(), as the plugin takes it. */
#ifndef CLI_RECORD_LENT_H
#define CLI_RECORD_LENT_H

#include "base/buf.h"
#include "cli/record/guides.h"

struct record_lent {
	const struct record_guide
		*guide;	     /* that of the first program; its name is NULL: none */
	const char *program; /* the path of that program */
	bool others;	     /* other guides' programs get theirs, too */
	struct buf text;     /* format/lend.h, with a NUL; empty: nothing is lent */
	uint32_t values;     /* what lent guides want recorded: enum values_wanted */
};

/*
 * Sets `text` and `values` from the rest, before record_guide_argv(). What the plugin cannot be told,
 * or has no memory, is left out. `qemu_args` is as for record_guide_find().
 */
void record_lent_find(struct record_lent *lent, char *const *qemu_args);

#endif
