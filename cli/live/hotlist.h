/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which functions a sample of blocks belongs to. Blocks and names come from the file that
 * is being recorded. It is opened again when the sample has newer blocks, but only so
 * often that opening takes a small part of the time.
 */
#ifndef CLI_LIVE_HOTLIST_H
#define CLI_LIVE_HOTLIST_H

#include "collect/requests.h"
#include "program/functions.h"

struct hot_row {
	const char *name;   /* of the function */
	const char *module; /* of its file, without folders; "" when there is none */
	uint64_t insns;
};

struct hotlist {
	const char *file;
	struct wm_trace *trace; /* NULL: not open */
	struct symbols *symbols;
	struct functions *functions;
	uint32_t known; /* number of blocks it had when it was opened */
	bool has_programs;
	uint64_t may_open_ns;

	struct hot_row *rows; /* [n] the hottest first */
	unsigned n;
};

/* `file` must outlive it. */
void hotlist_init(struct hotlist *list, const char *file);
void hotlist_fini(struct hotlist *list);
/* Makes the rows of this sample. Names are valid until the next call. WM_E_NOMEM. */
int hotlist_update(struct hotlist *list, const struct sample *sample,
		   struct wm_error *err);

#endif
