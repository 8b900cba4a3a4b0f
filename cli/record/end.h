/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a recorder's process prints, while it records and at the end. */
#ifndef CLI_RECORD_END_H
#define CLI_RECORD_END_H

#include "cli/progress.h"
#include "cli/record/keep.h"
#include "collect/record.h"

struct record_end {
	const char *output;  /* the trace's path */
	const char *program; /* as the user named it; NULL: QEMU was started by hand */
	const struct record_keep *keep;	 /* or NULL */
	const struct steering *steering; /* or NULL */
	bool strict;			 /* an incomplete trace is an error */
	struct progress progress;
};

/* Whether the recorder may have to replace the guest's exit status. */
bool record_end_judges(const struct record_end *end);
/* The callbacks for the recorder; `end` must outlive them. */
struct record_reports record_end_reports(struct record_end *end);

#endif
