// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * All that follows the calls of a subject begins with its sites. So what is left out of its
 * stacks is decided here, for tables of contexts, costs and timelines alike.
 */
#include "analysis/calls/subject.h"

int subject_sites(const struct calls_subject *subject, struct sites **sites,
		  struct wm_error *err)
{
	int ret;

	/* What was inlined into native code is not to be seen, and debugging information large. */
	functions_only_made(subject->functions, subject->methods);
	ret = sites_new(sites, subject->trace, subject->functions, subject->selection,
			err);
	functions_only_made(subject->functions, false);
	if (ret || !subject->methods)
		return ret;
	ret = sites_hide_natives(*sites, err);
	if (ret)
		sites_free(*sites);
	return ret;
}
