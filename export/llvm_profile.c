// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * LLVM's sample profiles in text, which `clang -fprofile-sample-use=FILE` reads and
 * llvm-profdata makes other forms of. A function is a line with its total and how often it
 * was entered; the lines of its body are one blank further in, and those of a function that
 * was inlined there one more:
 *
 *	# a comment
 *	main:5120:0
 *	 1: 1
 *	 4: 100 work:60 other:40		which called these functions
 *	 4.2: 80				another path of line 4
 *	 6: square:4900				inlined here:
 *	  1: 100
 */
#include <inttypes.h>

#include "export/feedback_format.h"
#include "out/text.h"

struct writer {
	FILE *out;
	const struct feedback *feedback;
};

static void put_name(const struct writer *writer, uint32_t name)
{
	text_line(writer->out, feedback_name(writer->feedback, name));
}

static void put_place(const struct writer *writer, const struct feedback_place *place,
		      unsigned depth)
{
	fprintf(writer->out, "%*s%" PRIu32, (int)depth, "", place->line);
	if (place->path)
		fprintf(writer->out, ".%" PRIu32, place->path);
	fputs(": ", writer->out);
}

/* The calls of one place follow each other, and their place has a line. */
static void put_lines(const struct writer *writer, const struct feedback_body *body,
		      unsigned depth)
{
	const struct feedback *feedback = writer->feedback;
	const struct feedback_call *call = &feedback->calls[body->first_call];
	const struct feedback_call *end = call + body->calls;

	for (size_t i = 0; i < body->lines; i++) {
		const struct feedback_line *line = &feedback->lines[body->first_line + i];

		put_place(writer, &line->at, depth);
		fprintf(writer->out, "%" PRIu64, line->count);
		for (; call < end && call->at.line == line->at.line &&
		       call->at.path == line->at.path;
		     call++) {
			putc(' ', writer->out);
			put_name(writer, call->callee);
			fprintf(writer->out, ":%" PRIu64, call->count);
		}
		putc('\n', writer->out);
	}
}

/* Calls nest no deeper than SRCFRAMES_MAX. */
static void put_body(const struct writer *writer, uint32_t number, unsigned depth)
{
	const struct feedback *feedback = writer->feedback;
	const struct feedback_body *body = &feedback->bodies[number];

	put_lines(writer, body, depth);
	for (size_t i = 0; i < body->inlined; i++) {
		uint32_t inner = feedback->inlined[body->first_inlined + i];

		put_place(writer, &feedback->bodies[inner].at, depth);
		put_name(writer, feedback->bodies[inner].name);
		fprintf(writer->out, ":%" PRIu64 "\n", feedback->bodies[inner].total);
		put_body(writer, inner, depth + 1);
	}
}

static int write_text(FILE *out, const struct cfg_picture *picture, struct wm_error *err)
{
	const struct feedback_subject subject =
		cfg_feedback(picture, FEEDBACK_LLVM_PATHS);
	struct feedback feedback;
	const struct writer writer = { out, &feedback };
	int ret = feedback_gather(&feedback, &subject, err);

	if (!ret)
		fputs("# Lines that ran, by waymark " WAYMARK_VERSION "\n", out);
	for (size_t i = 0; !ret && i < feedback.n_functions && !ferror(out); i++) {
		uint32_t number = feedback.functions[i];
		const struct feedback_body *body = &feedback.bodies[number];

		put_name(&writer, body->name);
		fprintf(out, ":%" PRIu64 ":%" PRIu64 "\n", body->total, body->entries);
		put_body(&writer, number, 1);
	}
	feedback_fini(&feedback);
	return ret;
}

const struct cfg_format cfg_llvm_profile = {
	.format = { "llvm-profile", FORMAT_CFG, "prof",
		    "a sample profile, for clang -fprofile-sample-use",
		    "debugging information" },
	.write = write_text,
};
