// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/amount.h"

#include <argp.h>
#include <inttypes.h>

#include "out/number.h"

uint64_t amount_or_end(const char *arg, const char *option, uint64_t least, uint64_t most,
		       struct argp_state *state)
{
	uint64_t value = 0;

	if (number_parse_bytes(arg, &value) && value >= least && value <= most)
		return value;
	if (most < UINT64_MAX)
		argp_error(state,
			   "%s takes a number from %" PRIu64 " to %" PRIu64
			   ", not \"%s\"",
			   option, least, most, arg);
	else if (least)
		argp_error(state, "%s takes a number from %" PRIu64 " on, not \"%s\"",
			   option, least, arg);
	else
		argp_error(state, "%s takes a number, not \"%s\"", option, arg);
	return least;
}
