/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What gathering leaves for putting in order. */
#ifndef ANALYSIS_FEEDBACK_FEEDBACK_DATA_H
#define ANALYSIS_FEEDBACK_FEEDBACK_DATA_H

#include "analysis/feedback/feedback.h"

/*
 * Sorts lines and calls and makes one of equal places, finds what is inlined where, and adds
 * up. False: no memory.
 */
bool feedback_put_in_order(struct feedback *feedback);

#endif
