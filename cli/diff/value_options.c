// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Options about values. Without any, all values are compared that both sides have: a run
 * that is not the same should not pass because its user did not know an option.
 *
 * Example: --values addresses,registers leaves out what was loaded and stored;
 * --ignore-values is --values none in a word that says what it does.
 */
#include "cli/diff/value_options.h"

#include <string.h>

/* "addresses,registers" */
static unsigned parse_values(const char *arg, struct argp_state *state)
{
	/* In the order of the bits of enum diff_what. */
	static const char *const names[] = { "addresses", "data", "registers" };
	enum { NAMES = sizeof(names) / sizeof(*names) };
	unsigned what = 0;

	if (!strcmp(arg, "all") || !strcmp(arg, "none"))
		return *arg == 'a' ? DIFF_VALUES : 0;
	for (size_t bytes; *arg; arg += bytes + (arg[bytes] == ',')) {
		unsigned i = 0;

		bytes = strcspn(arg, ",");
		while (i < NAMES &&
		       (strlen(names[i]) != bytes || memcmp(arg, names[i], bytes) != 0))
			i++;
		if (i == NAMES)
			argp_error(state,
				   "--values is addresses, data, registers, all or none, "
				   "not \"%s\"",
				   arg);
		what |= 1u << i;
	}
	return what;
}

error_t value_option_parse(struct compare *compare, int key, const char *arg,
			   struct argp_state *state)
{
	struct wm_error err;
	int ret = 0;

	switch (key) {
	case OPTION_VALUES:
		compare->what = parse_values(arg, state);
		return 0;
	case OPTION_IGNORE_VALUES:
		compare->what = 0;
		return 0;
	case OPTION_MAY_DIFFER:
		ret = leeway_add(&compare->leeway, arg, &err);
		break;
	case OPTION_MOVED:
		ret = leeway_add_move(&compare->leeway, arg, &err);
		break;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	if (ret)
		argp_error(state, "%s", err.text);
	return 0;
}

void value_option_check(const struct compare *compare, bool table,
			struct argp_state *state)
{
	const struct leeway *leeway = &compare->leeway;
	bool any = leeway->n_moves || leeway->n_pairs || leeway->n_ranges ||
		   leeway->n_names;

	if (any && (table || !compare->what))
		argp_error(state, "--may-differ and --moved are about values, which are "
				  "not compared here");
}
