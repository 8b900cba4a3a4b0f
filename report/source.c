// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * "code": the code of the busiest functions, for their pages: each instruction that ran
 * with its executions and its line, and the source around them.
 *
 * Instructions that ran are gathered once, sorted by file and place; those of a function
 * that is shown are picked. The source of a function is one file, the one with more than
 * half of its instructions if there is one, from the first to the last line that any of
 * them has. Lines inlined from other files have the number 0.
 *
 * A function that was inlined has the instructions that come from it, wherever they are.
 *
 * Bounds: FUNCTIONS_MAX functions, as many that were inlined, INSNS_MAX instructions and LINES_MAX lines of each.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "out/text.h"
#include "report/section.h"

enum { FUNCTIONS_MAX = 60, INSNS_MAX = 600, LINES_MAX = 500, TEXT_MAX = 128 };

/* One function that is shown: the indexes of its instructions. */
struct code {
	uint32_t function;
	bool counts_inlined; /* its instructions are those of report->inlined */
	size_t *insns;	     /* [n, INSNS_MAX at most] in the order of places */
	size_t n, in_all;
	uint32_t source;      /* 0: not known */
	uint32_t first, last; /* lines of it */
};

/* *line is zeros when the line is not known: no source has the number 0. */
static bool line_of(const struct report *report, const struct insn_count *insn,
		    struct srcline *line)
{
	*line = (struct srcline){ 0 };
	return insn->origin.file != INSN_NO_FILE &&
	       srclines_at(report->ask->lines, &insn->origin, line);
}

/* ---- what is shown --------------------------------------------------------- */

struct codes {
	struct code all[2 * FUNCTIONS_MAX]; /* [n] */
	unsigned n;
};

/* Linear, for few entries. */
static struct code *find(struct codes *codes, uint32_t function)
{
	for (unsigned i = 0; i < codes->n; i++)
		if (codes->all[i].function == function)
			return &codes->all[i];
	return NULL;
}

/* The busiest functions by their code, then those that are the busiest because they are inlined. */
static void choose(struct codes *codes, const struct report *report)
{
	for (unsigned i = 0; i < FUNCTIONS_MAX && i < report->n_hottest; i++)
		codes->all[codes->n++].function = report->hottest[i].function;
	for (unsigned i = 0; i < FUNCTIONS_MAX && i < report->n_inlined; i++)
		if (!find(codes, report->inlined[i].function))
			codes->all[codes->n++] =
				(struct code){ .function = report->inlined[i].function,
					       .counts_inlined = true };
}

/*
 * `in_all` counts on beyond INSNS_MAX, so that the page can say how many it leaves out.
 */
static bool add(struct code *code, size_t insn)
{
	if (!code->insns)
		code->insns = calloc(INSNS_MAX, sizeof(*code->insns));
	if (!code->insns)
		return false;
	if (code->n < INSNS_MAX)
		code->insns[code->n++] = insn;
	code->in_all++;
	return true;
}

/* An instruction may be of two: of one that was inlined, and of that whose code it is. */
static bool pick_insn(const struct report *report, const struct insn_count *insn,
		      struct codes *codes, size_t index)
{
	uint32_t function = functions_at(report->ask->functions, insn->space,
					 insn->address, insn->id, NULL);
	struct code *code = find(codes, function);
	bool is_inlined, ok = function;

	if (code && !code->counts_inlined)
		ok = add(code, index);
	if (!ok || !report->n_inlined)
		return ok;
	function = report_inlined_at(report, insn, &is_inlined);
	code = find(codes, function);
	return function && (!code || !code->counts_inlined || add(code, index));
}

static bool pick(const struct report *report, const struct insn_counts *insns,
		 struct codes *codes)
{
	bool ok = true;

	for (size_t i = 0; ok && i < insns->n; i++)
		ok = pick_insn(report, &insns->all[i], codes, i);
	return ok;
}

/*
 * Chooses the file by Boyer and Moore's vote: one pass and no table of files. It finds
 * the file that has more than half of the instructions with a line. Without such a
 * majority the result is some file of the function, which is as good as any other.
 *
 * Example: a.c a.c b.h a.c: votes 1 2 1 2, the candidate is a.c. Adding -1UL subtracts
 * one, and happens only while votes > 0.
 *
 * Then the range of lines is that of all instructions of this file, cut at LINES_MAX.
 */
static void choose_source(const struct report *report, const struct insn_counts *insns,
			  struct code *code)
{
	struct srcline line;
	size_t votes = 0;

	for (size_t i = 0; i < code->n; i++) {
		if (!line_of(report, &insns->all[code->insns[i]], &line))
			continue;
		if (!votes)
			code->source = line.source;
		votes += line.source == code->source ? 1 : -1UL;
	}
	for (size_t i = 0; code->source && i < code->n; i++) {
		if (!line_of(report, &insns->all[code->insns[i]], &line) ||
		    line.source != code->source)
			continue;
		if (!code->first || line.number < code->first)
			code->first = line.number;
		code->last = line.number > code->last ? line.number : code->last;
	}
}

/* ---- JSON ------------------------------------------------------------------ */

bool report_put_lines(struct report *report, const char *path, uint32_t first,
		      uint32_t last)
{
	const struct report_ask *ask = report->ask;
	struct json *json = &report->json;
	char cut[LABEL_BYTES_MAX + 4];
	uint32_t number = labels_add_path(&report->names, path);

	json_uint(json, "path", number);
	json_uint(json, "first", first);
	json_array(json, "lines");
	for (uint32_t i = first; i <= last && i - first < LINES_MAX; i++) {
		const char *text =
			ask->source_line ? ask->source_line(ask->cookie, path, i) : NULL;

		if (!text)
			break; /* the file is not here, or ends */
		json_string(json, NULL, label_cut(cut, text, LABEL_BYTES_MAX));
	}
	json_close(json);
	return number != 0;
}

static bool put_source(struct report *report, const struct code *code)
{
	return !code->source ||
	       report_put_lines(report, srclines_path(report->ask->lines, code->source),
				code->first, code->last);
}

/* [address, text, executions, line]; 0: a line of another file, or none. */
static bool put_insn(struct report *report, const struct code *code,
		     const struct insn_count *insn)
{
	struct json *json = &report->json;
	char address[24], wide[TEXT_MAX] = "", *text;
	struct srcline line;

	wm_trace_disas(report->ask->trace, insn->id, insn->index, wide, sizeof(wide));
	text = text_disas_new(wide, 0);
	if (!text)
		return false;
	snprintf(address, sizeof(address), "0x%" PRIx64, insn->address);
	line_of(report, insn, &line);
	json_array(json, NULL);
	json_string(json, NULL, address);
	json_string(json, NULL, text);
	json_uint(json, NULL, insn->count);
	json_uint(json, NULL, line.source == code->source ? line.number : 0);
	json_close(json);
	free(text);
	return true;
}

static bool put_code(struct report *report, const struct insn_counts *insns,
		     const struct code *code)
{
	struct json *json = &report->json;
	uint32_t name = report_function(report, code->function);
	bool ok = name != 0;

	json_object(json, NULL);
	json_uint(json, "name", name);
	json_uint(json, "in_all", code->in_all);
	ok = ok && put_source(report, code);
	json_array(json, "insns");
	for (size_t i = 0; ok && i < code->n; i++)
		ok = put_insn(report, code, &insns->all[code->insns[i]]);
	json_close(json);
	json_close(json);
	return ok;
}

int report_source(struct report *report, struct wm_error *err)
{
	const struct insn_counts *insns = report->insns;
	struct codes codes = { .n = 0 };
	bool ok;

	choose(&codes, report);
	ok = pick(report, insns, &codes);
	json_array(&report->json, "code");
	for (unsigned i = 0; ok && i < codes.n; i++) {
		choose_source(report, insns, &codes.all[i]);
		ok = put_code(report, insns, &codes.all[i]);
	}
	json_close(&report->json);
	for (unsigned i = 0; i < codes.n; i++)
		free(codes.all[i].insns);
	return ok ? 0 : wm_fail_nomem(err, "source");
}
