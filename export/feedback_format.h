/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What formats for compilers are made of: feedback about a part of a control-flow graph. */
#ifndef EXPORT_FEEDBACK_FORMAT_H
#define EXPORT_FEEDBACK_FORMAT_H

#include "analysis/feedback/feedback.h"
#include "export/cfg_format.h"

static inline struct feedback_subject cfg_feedback(const struct cfg_picture *picture,
						   enum feedback_paths paths)
{
	return (struct feedback_subject){
		.trace = picture->trace,
		.symbols = picture->symbols,
		.functions = picture->functions,
		.lines = picture->lines,
		.cfg = picture->cfg,
		.picked = picture->picked,
		.paths = paths,
	};
}

#endif
