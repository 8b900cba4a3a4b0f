/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Calls as they nest, printed one after the other. */
#ifndef CLI_FLOW_CALLTREE_H
#define CLI_FLOW_CALLTREE_H

#include "analysis/calls/sites.h"
#include "cli/query.h"

struct calltree_options {
	uint64_t depth;	   /* levels to show */
	const char **only; /* patterns, NULL-terminated: only calls of these, and in them */
	const char * * not ; /* no calls of these, nor in them */
};

/* Prints the threads of an open query to stdout, in its view's form. */
int calltree_print(struct query *query, const struct calltree_options *options,
		   struct wm_error *err);

#endif
