/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Prints calls nested as they ran. */
#ifndef CLI_FLOW_CALLTREE_H
#define CLI_FLOW_CALLTREE_H

#include "cli/ask.h"

/* Prints the rows of an open query for every call to stdout: as text or as JSON. */
int calltree_print(struct ask *ask, struct wm_error *err);

#endif
