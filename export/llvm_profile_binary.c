// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * LLVM's sample profiles in the form that llvm-profdata calls "binary". Everything is a
 * varint, but names, which end with a NUL:
 *
 *	magic, version			"SPROF42" and 0xff as a big-endian number; 103
 *	summary				sum, largest count, most entries, number of counts
 *					and of functions; entries of a table
 *	  cutoff, count, counts		the largest counts, so many, are together at least
 *					that share, in millionths, of the sum; the least
 *					of them is `count`
 *	names				how many, then each
 *	for each function		entries, body
 *	  body				name, total
 *	    lines			how many, then place, path, count, calls:
 *	      calls			how many, then name, count
 *	    inlined			how many, then place, path, body
 *
 * Names are numbers in the list, from 0.
 */
#include <stdlib.h>

#include "base/buf.h"
#include "base/error.h"
#include "export/feedback_format.h"

enum { VERSION = 103, MILLION = 1000000 };

static const uint64_t magic = UINT64_C(0x5350524f463432ff);

struct writer {
	const struct feedback *feedback;
	struct buf out;
};

static void put(struct writer *writer, uint64_t value)
{
	buf_put_varint(&writer->out, value);
}

/* ---- summary ---------------------------------------------------------------------------- */

static int by_count(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x > y ? -1 : x < y;
}

/* `counts` has all of them, the largest first. */
static void put_shares(struct writer *writer, const uint64_t *counts, size_t n,
		       uint64_t sum)
{
	static const uint32_t cutoffs[] = {
		10000,	100000, 200000, 300000, 400000, 500000, 600000, 700000,
		800000, 900000, 950000, 990000, 999000, 999900, 999990, 999999,
	};
	uint64_t seen = 0;
	size_t at = 0;

	put(writer, sizeof(cutoffs) / sizeof(*cutoffs));
	for (size_t i = 0; i < sizeof(cutoffs) / sizeof(*cutoffs); i++) {
		/* Sums of counts may be beyond what a product with a million has room for. */
		uint64_t wanted =
			(uint64_t)((unsigned __int128)sum * cutoffs[i] / MILLION);

		while (at < n && (seen < wanted || (at && counts[at] == counts[at - 1])))
			seen += counts[at++];
		put(writer, cutoffs[i]);
		put(writer, at ? counts[at - 1] : 0);
		put(writer, at);
	}
}

static bool put_summary(struct writer *writer)
{
	const struct feedback *feedback = writer->feedback;
	uint64_t *counts = calloc(feedback->n_lines + 1, sizeof(*counts));
	uint64_t sum = 0, entries = 0;

	if (!counts)
		return false;
	for (size_t i = 0; i < feedback->n_lines; i++) {
		counts[i] = feedback->lines[i].count;
		sum += counts[i];
	}
	for (size_t i = 0; i < feedback->n_functions; i++) {
		const struct feedback_body *body =
			&feedback->bodies[feedback->functions[i]];

		if (body->entries > entries)
			entries = body->entries;
	}
	qsort(counts, feedback->n_lines, sizeof(*counts), by_count);
	put(writer, sum);
	put(writer, counts[0]);
	put(writer, entries);
	put(writer, feedback->n_lines);
	put(writer, feedback->n_functions);
	put_shares(writer, counts, feedback->n_lines, sum);
	free(counts);
	return true;
}

/* ---- functions -------------------------------------------------------------------------- */

static void put_names(struct writer *writer)
{
	const struct interner *names = &writer->feedback->names;

	put(writer, names->count);
	for (uint32_t i = 1; i <= names->count; i++) {
		uint64_t address;
		uint32_t bytes;
		const uint8_t *name = intern_code(names, i, &address, &bytes);

		buf_put(&writer->out, name, bytes);
	}
}

static void put_place(struct writer *writer, const struct feedback_place *place)
{
	put(writer, place->line);
	put(writer, place->path);
}

static bool same_place(const struct feedback_place *x, const struct feedback_place *y)
{
	return x->line == y->line && x->path == y->path;
}

/* The calls of one place follow each other, and their place has a line. */
static void put_lines(struct writer *writer, const struct feedback_body *body)
{
	const struct feedback *feedback = writer->feedback;
	const struct feedback_call *calls = &feedback->calls[body->first_call];
	size_t at = 0;

	put(writer, body->lines);
	for (size_t i = 0; i < body->lines; i++) {
		const struct feedback_line *line = &feedback->lines[body->first_line + i];
		size_t end = at;

		while (end < body->calls && same_place(&calls[end].at, &line->at))
			end++;
		put_place(writer, &line->at);
		put(writer, line->count);
		put(writer, end - at);
		for (; at < end; at++) {
			put(writer, calls[at].callee - 1);
			put(writer, calls[at].count);
		}
	}
}

/* Calls nest no deeper than SRCFRAMES_MAX. */
static void put_body(struct writer *writer, uint32_t number)
{
	const struct feedback *feedback = writer->feedback;
	const struct feedback_body *body = &feedback->bodies[number];

	put(writer, body->name - 1);
	put(writer, body->total);
	put_lines(writer, body);
	put(writer, body->inlined);
	for (size_t i = 0; i < body->inlined; i++) {
		uint32_t inner = feedback->inlined[body->first_inlined + i];

		put_place(writer, &feedback->bodies[inner].at);
		put_body(writer, inner);
	}
}

static bool put_all(struct writer *writer)
{
	const struct feedback *feedback = writer->feedback;

	put(writer, magic);
	put(writer, VERSION);
	if (!put_summary(writer))
		return false;
	put_names(writer);
	for (size_t i = 0; i < feedback->n_functions; i++) {
		put(writer, feedback->bodies[feedback->functions[i]].entries);
		put_body(writer, feedback->functions[i]);
	}
	return !writer->out.failed;
}

static int write_binary(FILE *out, const struct cfg_picture *picture,
			struct wm_error *err)
{
	const struct feedback_subject subject =
		cfg_feedback(picture, FEEDBACK_LLVM_PATHS);
	struct feedback feedback;
	struct writer writer = { &feedback, BUF_INIT };
	int ret = feedback_gather(&feedback, &subject, err);

	if (!ret && !put_all(&writer))
		ret = wm_fail_nomem(err, "a profile");
	if (!ret)
		fwrite(writer.out.data, 1, writer.out.len, out);
	buf_fini(&writer.out);
	feedback_fini(&feedback);
	return ret;
}

const struct cfg_format cfg_llvm_profile_binary = {
	.format = { "llvm-profile-binary", FORMAT_CFG, "profdata",
		    "the same in the binary form of llvm-profdata",
		    "debugging information", .binary = true },
	.write = write_binary,
};
