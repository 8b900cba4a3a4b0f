// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The profile that `gcc -fauto-profile=FILE` reads, as AutoFDO's create_gcov writes it:
 * numbers of 32 bits, and counts of 64 bits, of which the lower half comes first.
 *
 *	"adcg" as a number, 2, 0	magic, version, nothing
 *	0xaa000000, length, n		names: each its bytes with a NUL, before them how
 *					many; GCC before 12 counted in words
 *	0xac000000, length, n		functions: each how often it was entered, and a body
 *	  body				name, number of lines, number of inlined calls
 *	    line			place, number of functions it called, count; of each
 *	      call			0, name, count; the last two of 64 bits
 *	    inlined			place, body
 *	0xae000000, 0, 0		modules, of which there are none
 *
 * A place is the line, from the function's declaration, in the upper 16 bits. GCC takes the
 * lower ones for nothing when it reads a line, and its calls have no paths there.
 */
#include "base/buf.h"
#include "base/error.h"
#include "export/feedback_format.h"

enum { VERSION = 2, LINE_SHIFT = 16 };

static const uint32_t magic = UINT32_C(0x67636461), tag_names = UINT32_C(0xaa000000),
		      tag_functions = UINT32_C(0xac000000),
		      tag_modules = UINT32_C(0xae000000);

static void put_place(struct buf *out, const struct feedback_place *place)
{
	buf_put_u32(out, place->line << LINE_SHIFT);
}

/* The functions called from a line: *at is the first of them in `calls`. */
static void put_calls(struct buf *out, const struct feedback_call *calls, size_t *at,
		      size_t end)
{
	for (; *at < end; ++*at) {
		buf_put_u32(out, 0);
		buf_put_u64(out, calls[*at].callee - 1ul);
		buf_put_u64(out, calls[*at].count);
	}
}

/* Calls nest no deeper than SRCFRAMES_MAX. */
static void put_body(struct buf *out, const struct feedback *feedback, uint32_t number)
{
	const struct feedback_body *body = &feedback->bodies[number];
	const struct feedback_call *calls = &feedback->calls[body->first_call];
	size_t at = 0;

	buf_put_u32(out, body->name - 1);
	buf_put_u32(out, (uint32_t)body->lines);
	buf_put_u32(out, (uint32_t)body->inlined);
	for (size_t i = 0; i < body->lines; i++) {
		const struct feedback_line *line = &feedback->lines[body->first_line + i];
		size_t end = at;

		while (end < body->calls && calls[end].at.line == line->at.line)
			end++;
		put_place(out, &line->at);
		buf_put_u32(out, (uint32_t)(end - at));
		buf_put_u64(out, line->count);
		put_calls(out, calls, &at, end);
	}
	for (size_t i = 0; i < body->inlined; i++) {
		uint32_t inner = feedback->inlined[body->first_inlined + i];

		put_place(out, &feedback->bodies[inner].at);
		put_body(out, feedback, inner);
	}
}

static void put_names(struct buf *out, const struct interner *names)
{
	buf_put_u32(out, names->count);
	for (uint32_t i = 1; i <= names->count; i++) {
		uint64_t address;
		uint32_t bytes;
		const uint8_t *name = intern_code(names, i, &address, &bytes);

		buf_put_u32(out, bytes);
		buf_put(out, name, bytes);
	}
}

static void put_functions(struct buf *out, const struct feedback *feedback)
{
	buf_put_u32(out, (uint32_t)feedback->n_functions);
	for (size_t i = 0; i < feedback->n_functions; i++) {
		buf_put_u64(out, feedback->bodies[feedback->functions[i]].entries);
		put_body(out, feedback, feedback->functions[i]);
	}
}

/* Moves a section behind its tag and length, which GCC skips. */
static void put_section(struct buf *out, uint32_t tag, struct buf *section)
{
	buf_put_u32(out, tag);
	buf_put_u32(out, (uint32_t)section->len);
	buf_put(out, section->data, section->len);
	out->failed |= section->failed;
	section->len = 0;
}

static int write_all(FILE *out, const struct cfg_picture *picture, struct wm_error *err)
{
	const struct feedback_subject subject = cfg_feedback(picture, FEEDBACK_NO_PATHS);
	struct buf all = BUF_INIT, section = BUF_INIT;
	struct feedback feedback;
	int ret = feedback_gather(&feedback, &subject, err);

	if (!ret) {
		buf_put_u32(&all, magic);
		buf_put_u32(&all, VERSION);
		buf_put_u32(&all, 0);
		put_names(&section, &feedback.names);
		put_section(&all, tag_names, &section);
		put_functions(&section, &feedback);
		put_section(&all, tag_functions, &section);
		buf_put_u32(&section, 0);
		put_section(&all, tag_modules, &section);
		if (all.failed)
			ret = wm_fail_nomem(err, "a profile");
		else
			fwrite(all.data, 1, all.len, out);
	}
	buf_fini(&all);
	buf_fini(&section);
	feedback_fini(&feedback);
	return ret;
}

const struct cfg_format cfg_autofdo = {
	.format = { "autofdo", FORMAT_CFG, "afdo", "a profile for gcc -fauto-profile",
		    "debugging information", .binary = true },
	.write = write_all,
};
