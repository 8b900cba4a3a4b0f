/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What answers about accesses lack: those that QEMU shows to no plugin (isa/unshown.h). */
#ifndef QUERY_QUESTIONS_UNSHOWN_H
#define QUERY_QUESTIONS_UNSHOWN_H

#include "query/query.h"

/*
 * Warns when what is selected executed such instructions, with how many. Counts only if the program
 * has any. Errors are those of counts_gather().
 */
int unshown_warn(const struct query *query, struct wm_error *err);

#endif
