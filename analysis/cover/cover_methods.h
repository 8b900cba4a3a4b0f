/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Adds what an interpreter ran to a cover: for cover_add() alone. */
#ifndef ANALYSIS_COVER_COVER_METHODS_H
#define ANALYSIS_COVER_COVER_METHODS_H

#include "analysis/cover/cover.h"

/*
 * Methods, their lines and branches, of source files of which some ran, as run `number`.
 * WM_E_NOMEM.
 */
int cover_add_methods(struct cover *cover, const struct cover_run *run,
		      const struct bytecodes *bytecodes, uint32_t number,
		      struct wm_error *err);

#endif
