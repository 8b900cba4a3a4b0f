/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cachegrind's output, which cg_annotate(1) and KCachegrind read. */
#ifndef EXPORT_CACHEGRIND_H
#define EXPORT_CACHEGRIND_H

#include <stdio.h>

#include "analysis/cache/profile.h"

/* Writes what caches made of a run. The caller checks the stream for errors. WM_E_NOMEM. */
int cachegrind_write(FILE *out, const struct counted *counted,
		     const struct cache_profile *profile, const struct cache_spec *spec,
		     struct wm_error *err);

#endif
