/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The values of a pair of threads that are compared, while the pair is. */
#ifndef QUERY_PAIR_VALUES_H
#define QUERY_PAIR_VALUES_H

#include "query/compare.h"

struct pair_values {
	struct diff_values values; /* a or b NULL: nothing to compare */
	struct leeway_use use;
	struct alike_move *moves; /* the user's, and those of files */
};

/*
 * `parts` are the parts of A and B that are compared; `lock` is A's for symbols. All of it
 * must outlive *values, which the caller closes, on failure too. WM_E_NOMEM.
 */
int pair_values_open(struct pair_values *values, const struct compare *compare,
		     const struct pair *pair, const struct diff_part parts[2],
		     pthread_mutex_t *lock, struct wm_error *err);
/* Warns of values that were asked for by name, and that an open trace does not have. */
void pair_values_warn(const struct compare *compare);
/* Whether there is something to compare. */
static inline bool pair_values_any(const struct pair_values *values)
{
	return values->values.a && values->values.b && diff_values_kinds(&values->values);
}
/* Moves the result to *result, which keeps `listed` differences at most. */
void pair_values_close(struct pair_values *values, size_t listed,
		       struct compared_values *result);

#endif
