/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Coverage for other programs. */
#ifndef EXPORT_COVER_FORMAT_H
#define EXPORT_COVER_FORMAT_H

#include <stdio.h>

#include "analysis/cover/cover.h"
#include "export/format.h"

struct cover_format {
	struct format format; /* first: formats[] knows it by this */
	/*
	 * Writes a finished cover. The caller checks the stream for errors. WM_E_NOMEM.
	 */
	int (*write)(FILE *out, const struct cover *cover, struct wm_error *err);
	bool of_methods; /* only lines with bytecodes are in it */
};

/*
 * lcov's tracefiles ("info"), which genhtml and many others read: geninfo(1), "TRACEFILE
 * FORMAT".
 */
extern const struct cover_format cover_lcov;

/*
 * DynamoRIO's coverage files, version 2, which Lighthouse and drcov2lcov read: a table of
 * modules in text, and a table of blocks of 8 bytes each, as drcov's documentation and
 * source (clients/drcov, ext/drcovlib) have them. Blocks are cut at 65,535 bytes, the most
 * that the format's field can hold; there are 65,536 modules at most.
 */
extern const struct cover_format cover_drcov;

/* coverage.py's data file; see the top of export/coverage_py.c. */
extern const struct cover_format cover_coverage_py;

/* JaCoCo's report in XML; see the top of export/jacoco.c. */
extern const struct cover_format cover_jacoco;

#endif
