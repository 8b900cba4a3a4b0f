/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Markers of guest programs, one after the other. */
#ifndef EXPORT_MARKS_FORMAT_H
#define EXPORT_MARKS_FORMAT_H

#include <stdio.h>

#include "analysis/regions.h"
#include "export/format.h"
#include "out/json.h"

struct marks_writer {
	FILE *out;
	uint64_t begin_ns; /* when the recording began */
	struct json json;  /* the format's own */
};

/*
 * begin() once, mark() for each in order, then unended() for each begin that has no end,
 * end(). The caller checks the stream for errors.
 */
struct marks_format {
	struct format format; /* first: formats[] knows it by this */
	void (*begin)(struct marks_writer *writer);
	void (*mark)(struct marks_writer *writer, const struct mark *mark);
	void (*unended)(struct marks_writer *writer, const struct mark *mark);
	void (*end)(struct marks_writer *writer);
};

/* Names of columns and members are kept, and only added to. */
extern const struct marks_format marks_text, marks_csv, marks_json;

#endif
