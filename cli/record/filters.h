/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Options of record: which code, threads and processes are recorded. */
#ifndef CLI_RECORD_FILTERS_H
#define CLI_RECORD_FILTERS_H

#include <argp.h>

#include "base/buf.h"
#include "collect/steering.h"

struct record_filters {
	struct landmark *landmarks; /* [n_landmarks]; their module and name are owned */
	size_t n_landmarks;
	struct steering_name *names; /* [n_names]; they point into argv */
	size_t n_names;
	bool user_code;
	bool no_inline;	  /* of all landmarks, those of windows included */
	struct buf words; /* the options as given, to be stored in the file */
};

/* For a parser's children; the input is a struct record_filters of zeros. */
extern const struct argp record_filters_argp;

/* Adds the filters to *steering, which then points into *filters. WM_E_NOMEM. */
int record_filters_apply(struct record_filters *filters, struct steering *steering,
			 struct wm_error *err);
void record_filters_fini(struct record_filters *filters);

#endif
