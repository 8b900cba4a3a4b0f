// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Putting a section never fails for the caller: the first failure is kept, and reported
 * when the recording ends. The guest runs on meanwhile, as it would without a recorder.
 * `cut` is the first reason for which something is missing, not the last: what comes
 * later often follows from it.
 */
#include "collect/output.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/clock.h"
#include "format/records.h"
#include "format/section.h"

const char output_scribbled[] = "the guest overwrote the tracer's memory";
const char output_no_memory[] = "the recorder ran out of memory";

void output_put(struct output *out, uint32_t type, struct buf *payload, int level)
{
	struct wm_error err = { 0 };

	if (!out->sealed && writer_put(out->writer, type, payload, level, NULL, &err))
		output_failed(out, &err);
	/* The buffer is the caller's and is used again, also after a failure. */
	payload->len = 0;
	payload->failed = false;
}

void output_names(struct output *out, const char *build_id, const char *path,
		  const struct symtab *names)
{
	struct symtab_head head = { (char *)build_id, (char *)path };
	struct buf payload = BUF_INIT;

	if (symtab_put(&payload, &head, names))
		output_put(out, SECTION_SYMS, &payload, 0);
	buf_fini(&payload);
}

void output_fact(struct output *out, const char *key, const char *value)
{
	struct buf payload = BUF_INIT;

	/* A fact that is not known is not written. */
	if (!value)
		return;
	meta_put(&payload, key, value);
	output_put(out, SECTION_META, &payload, 0);
	buf_fini(&payload);
}

void output_number(struct output *out, const char *key, uint32_t number)
{
	char text[16];

	snprintf(text, sizeof(text), "%" PRIu32, number);
	/* 0 is not written: a reader takes a missing number for 0. */
	output_fact(out, key, number ? text : NULL);
}

void output_cut(struct output *out, const char *why)
{
	if (out->cut[0])
		return;
	snprintf(out->cut, sizeof(out->cut), "%s", why);
	out->cut_ns = clock_ns();
}

void output_failed(struct output *out, const struct wm_error *err)
{
	/* Later failures follow from the first. */
	if (!out->fault.code)
		out->fault = *err;
}
