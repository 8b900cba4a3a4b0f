/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which part of which trace a listing prints, and in which form: options they share. */
#ifndef CLI_LIST_RANGE_H
#define CLI_LIST_RANGE_H

#include "cli/options.h"
#include "export/format.h"

struct range {
	struct scope scope;
	uint64_t count;		     /* lines; UINT64_MAX: all */
	enum format_kind kind;	     /* of what is listed; set before parsing */
	const struct format *format; /* of that kind */
};

/* For a parser's children; its input is a struct range. Takes the FILE, too. */
extern const struct argp range_argp;

#endif
