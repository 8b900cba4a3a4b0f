// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Options about values. Without any, all values are compared that both sides have: a run
 * that is not the same should not pass because its user did not know an option.
 *
 * Example: --values addresses,registers leaves out what was loaded and stored;
 * --ignore-values is --values none in a word that says what it does.
 */
#include "cli/diff/value_options.h"

error_t value_option_parse(struct compare *compare, int key, const char *arg,
			   struct argp_state *state)
{
	struct wm_error err;
	int ret = 0;

	switch (key) {
	case OPTION_VALUES:
		if (!diff_what_parse(arg, &compare->what))
			argp_error(state,
				   "--values is addresses, data, registers, all or none, "
				   "not \"%s\"",
				   arg);
		compare->named = compare->what == DIFF_VALUES ? 0 : compare->what;
		return 0;
	case OPTION_IGNORE_VALUES:
		compare->what = compare->named = 0;
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
