/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What answers about accesses and methods lack, and does not show in them. */
#ifndef QUERY_QUESTIONS_LACKS_H
#define QUERY_QUESTIONS_LACKS_H

#include "program/objects.h"
#include "query/query.h"

/* Whether only loads or only stores were recorded; then *recorded and *missing name them. */
bool lacks_kind(const struct wm_trace *trace, const char **recorded,
		const char **missing);
/* Warns when only loads or only stores were recorded: caches and distances need both. */
void lacks_kind_warn(const struct query *query);

/* Warns of processes whose methods are not known, because they ran without the guide. */
void lacks_guides_warn(const struct query *query);

/* Warns of each file whose variables are not known, because it is not there as it ran. */
void lacks_variables_warn(const struct query *query, const struct objects *objects);

#endif
