/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Everything in a file, damaged or not: its sections in order, and the damaged places
 * between them. A reader stops at the first damage; a survey continues after it.
 */
#ifndef FORMAT_SURVEY_H
#define FORMAT_SURVEY_H

#include "format/reader.h"

/* A section, or a part of the file without an intact section. */
struct piece {
	struct section
		section; /* damaged: `off` is sure, the rest seems so; type 0: nothing is */
	uint64_t bytes; /* up to the next piece; when damaged, perhaps several sections */
	const char *why; /* how it is damaged, as a clause; NULL: it is intact */
};

struct survey {
	struct piece *pieces; /* without the table of contents */
	size_t count, allocated;
	uint32_t features; /* incompatible ones, all that are known, when the header is damaged */
	const char *header; /* what is wrong with the file header, or NULL */
	const char *end; /* what is wrong with the table of contents or trailer, or NULL */
};

/*
 * Reads the whole file. WM_E_FORMAT: it is no trace. WM_E_DAMAGED: no section is intact.
 * WM_E_NEWER. The clauses are constants. *survey must be freed in any case.
 */
int survey_file(struct survey *survey, const struct reader *reader, struct wm_error *err);
void survey_fini(struct survey *survey);

/* The piece whose section is at `off`; NULL when there is none. */
const struct piece *survey_find(const struct survey *survey, uint64_t off);

#endif
