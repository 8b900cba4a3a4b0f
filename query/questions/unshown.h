/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What answers about accesses lack: those that QEMU shows to no plugin (isa/unshown.h). */
#ifndef QUERY_QUESTIONS_UNSHOWN_H
#define QUERY_QUESTIONS_UNSHOWN_H

#include "analysis/counts.h"
#include "query/query.h"

/*
 * Warns when what is selected executed such instructions, with how many. `counts` are those of the
 * selection; NULL: they are gathered, if the program has any such instruction. Errors are those of
 * counts_gather().
 */
int unshown_warn(const struct query *query, const struct counts *counts,
		 struct wm_error *err);

#endif
