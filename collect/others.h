/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The processes that run on when the first one has ended. */
#ifndef COLLECT_OTHERS_H
#define COLLECT_OTHERS_H

#include "collect/crowd.h"

/*
 * `before` and then those that have not ended: "1234 (sleep), 1240 (sh)".
 * The caller frees it; NULL when there is no such process, or no memory.
 */
char *others_list(const struct crowd *crowd, const char *before);

#endif
