/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The options of diff about values: which are compared, and what may differ. */
#ifndef CLI_DIFF_VALUE_OPTIONS_H
#define CLI_DIFF_VALUE_OPTIONS_H

#include <argp.h>

#include "query/compare.h"

enum {
	OPTION_VALUES = 512,
	OPTION_IGNORE_VALUES,
	OPTION_MAY_DIFFER,
	OPTION_MOVED,
};

#define VALUE_OPTIONS                                                                          \
	{ "values",                                                                            \
	  OPTION_VALUES,                                                                       \
	  "WHAT",                                                                              \
	  0,                                                                                   \
	  "Compare these values: addresses, data, registers, with commas between them; "       \
	  "all or none (all that both have)",                                                  \
	  0 },                                                                                 \
		{ "ignore-values", OPTION_IGNORE_VALUES, NULL, 0, "Compare no values", 0 },    \
		{ "may-differ",                                                                \
		  OPTION_MAY_DIFFER,                                                           \
		  "WHAT",                                                                      \
		  0,                                                                           \
		  "A register, variable, function, ADDR[,LEN] or VALUE=VALUE that may differ", \
		  0 },                                                                         \
	{                                                                                      \
		"moved", OPTION_MOVED, "ADDR=ADDR[,LEN]", 0,                                   \
			"Memory of A at the first address is B's at the second", 0             \
	}

/* Sets what an option says. ARGP_ERR_UNKNOWN: it is none of these. */
error_t value_option_parse(struct compare *compare, int key, const char *arg,
			   struct argp_state *state);
/* After all options: ends the program when some have no meaning together. */
void value_option_check(const struct compare *compare, bool table,
			struct argp_state *state);

#endif
