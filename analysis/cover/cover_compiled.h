/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Compiled code of methods is no function of its own in a cover: for cover_finish() alone. */
#ifndef ANALYSIS_COVER_COVER_COMPILED_H
#define ANALYSIS_COVER_COVER_COMPILED_H

#include "analysis/cover/cover.h"

/* The order of the functions stays. Without memory nothing is changed. */
void cover_join_compiled(struct cover *cover);

#endif
