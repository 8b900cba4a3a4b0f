// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A managed program: "methods" and "sources" are the tables of `waymark hot`, "opcodes" sums up
 * bytecodes by what they do, and "method_code" has the pages of the busiest methods, which
 * have their bytecodes where those of functions have instructions.
 *
 * Example of "opcodes": ["LOAD_FAST", 1374, 28854, 0, 0] was executed 1,374 times; it took
 * 28,854 instructions in the interpreter, and none in compiled or optimised code.
 *
 * A program whose code was only named, as by V8, has "methods" alone.
 *
 * Bounds: REPORT_METHODS_MAX methods, BYTECODES_MAX bytecodes of each.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/methods/bytecode_text.h"
#include "analysis/methods/tallies.h"
#include "base/append.h"
#include "base/error.h"
#include "program/made/name.h"
#include "report/section.h"

enum { BYTECODES_MAX = 600, TEXT_MAX = 256 };

/* ---- by what they do ----------------------------------------------------- */

struct opcode {
	const char *name;
	struct code_tally sum;
};

struct opcodes {
	struct opcode *all; /* [n] by number, from 1 */
	uint32_t n;
	struct interner names;
};

static bool add_opcode(struct opcodes *opcodes, const char *name,
		       const struct code_tally *tally)
{
	struct opcode opcode = { .name = name };
	bool fresh;
	uint32_t number = intern(&opcodes->names, 0, (const uint8_t *)name,
				 (uint32_t)strlen(name), &fresh);

	if (!number || (!opcodes->n && !APPEND(opcodes->all, opcodes->n, opcode)) ||
	    (fresh && !APPEND(opcodes->all, opcodes->n, opcode)))
		return false;
	code_tally_add(&opcodes->all[number].sum, tally);
	opcodes->all[number].sum.executions += tally->executions;
	return true;
}

static bool add_opcodes(struct opcodes *opcodes, const struct method_tally *method)
{
	bool good = true;

	for (uint32_t at = 0; good && at < method->unit->bytes; at++) {
		const char *name = unit_opcode(method->unit, at);

		if (code_tally_ran(&method->at[at]))
			good = add_opcode(opcodes, name ? name : "", &method->at[at]);
	}
	return good;
}

static int by_insns(const void *a, const void *b)
{
	const struct opcode *x = a, *y = b;
	uint64_t of_x = code_tally_insns(&x->sum), of_y = code_tally_insns(&y->sum);

	if (of_x != of_y)
		return of_x > of_y ? -1 : 1;
	return strcmp(x->name, y->name);
}

static void put_opcode(struct json *json, const struct opcode *opcode)
{
	json_array(json, NULL);
	json_string(json, NULL, opcode->name);
	json_uint(json, NULL, opcode->sum.executions);
	for (unsigned tier = 0; tier < TALLY_TIERS; tier++)
		json_uint(json, NULL, opcode->sum.insns[tier]);
	json_close(json);
}

static bool put_opcodes(struct report *report, const struct tallies *tallies)
{
	struct opcodes opcodes = { .names = INTERNER_INIT };
	bool good = true;

	for (uint32_t i = 1; good && i < tallies->index->n; i++)
		if (tallies->methods[i].at)
			good = add_opcodes(&opcodes, &tallies->methods[i]);
	if (opcodes.n)
		qsort(opcodes.all + 1, opcodes.n - 1, sizeof(*opcodes.all), by_insns);
	json_array(&report->json, "opcodes");
	for (uint32_t i = 1; i < opcodes.n; i++)
		put_opcode(&report->json, &opcodes.all[i]);
	json_close(&report->json);
	interner_fini(&opcodes.names);
	free(opcodes.all);
	return good;
}

/* ---- pages --------------------------------------------------------------- */

struct busy {
	const struct method_tally *method;
	uint64_t insns;
	uint32_t number; /* of equal ones the lower is first */
};

static int by_busy(const void *a, const void *b)
{
	const struct busy *x = a, *y = b;

	if (x->insns != y->insns)
		return x->insns > y->insns ? -1 : 1;
	return x->number < y->number ? -1 : x->number > y->number;
}

/* [offset, text, executions, line, instructions] */
static void put_bytecode(struct report *report, const struct bytecode_names *names,
			 const struct method_tally *method, uint32_t offset)
{
	const struct code_tally *at = &method->at[offset];
	struct json *json = &report->json;
	char text[TEXT_MAX];

	bytecode_text(names, method->unit, offset, text, sizeof(text));
	json_array(json, NULL);
	json_uint(json, NULL, offset);
	json_string(json, NULL, text);
	json_uint(json, NULL, at->executions);
	json_uint(json, NULL, unit_line(method->unit, offset));
	json_uint(json, NULL, code_tally_insns(at));
	json_close(json);
}

/* All bytecodes, those that did not run, too. */
static uint32_t put_bytecodes(struct report *report, const struct bytecode_names *names,
			      const struct method_tally *method)
{
	uint32_t n = 0;
	size_t length;

	json_array(&report->json, "insns");
	for (uint32_t at = 0; (length = unit_length(method->unit, at));
	     at += (uint32_t)length)
		if (n++ < BYTECODES_MAX)
			put_bytecode(report, names, method, at);
	json_close(&report->json);
	return n;
}

static bool put_lines(struct report *report, const struct unit *unit)
{
	uint32_t first = method_line(unit), last = first;

	for (uint32_t i = 0; i < unit->n_lines; i++)
		if (unit->lines[i].line > last)
			last = unit->lines[i].line;
	return !first || !*unit->file ||
	       report_put_lines(report, unit->file, first, last);
}

/* "tiers": its calls, and its instructions in each tier. */
static bool put_page(struct report *report, const struct bytecode_names *names,
		     const struct busy *busy)
{
	const struct unit *unit = busy->method->unit;
	struct code_tally sum = { .executions = 0 };
	struct json *json = &report->json;
	uint32_t function = method_function(report->ask->functions, unit);
	uint32_t name = function ? report_function(report, function) : 0;
	bool good = name;

	report->paged[report->n_paged++] = function;
	for (uint32_t at = 0; at < unit->bytes; at++)
		code_tally_add(&sum, &busy->method->at[at]);
	json_object(json, NULL);
	json_uint(json, "name", name);
	json_uint(json, "calls", busy->method->calls);
	json_array(json, "tiers");
	for (unsigned tier = 0; tier < TALLY_TIERS; tier++)
		json_uint(json, NULL, sum.insns[tier]);
	json_close(json);
	good = good && put_lines(report, unit);
	json_uint(json, "in_all", put_bytecodes(report, names, busy->method));
	json_close(json);
	return good;
}

static bool put_pages(struct report *report, const struct bytecode_names *names,
		      const struct tallies *tallies)
{
	struct busy *all = calloc(tallies->index->n + 1ul, sizeof(*all));
	uint32_t n = 0;
	bool good = all;

	for (uint32_t i = 1; good && i < tallies->index->n; i++) {
		const struct method_tally *method = &tallies->methods[i];

		if (!method->at)
			continue;
		all[n] = (struct busy){ method, 0, i };
		for (uint32_t at = 0; at < method->unit->bytes; at++)
			all[n].insns += code_tally_insns(&method->at[at]);
		n++;
	}
	if (n)
		qsort(all, n, sizeof(*all), by_busy);
	json_array(&report->json, "method_code");
	for (uint32_t i = 0; good && i < n && i < REPORT_METHODS_MAX; i++)
		good = put_page(report, names, &all[i]);
	json_close(&report->json);
	free(all);
	return good;
}

/* ---- the section --------------------------------------------------------- */

static const char method_columns[] =
	"method,source,insns,share,executions,interpreted,compiled,optimised,path";

static int put_interpreted(struct report *report, const struct tallies *tallies,
			   struct wm_error *err)
{
	struct bytecode_names names = { .classes = { .n = 0 } };
	int ret = report_hot(report, "methods", HOT_METHOD, method_columns, tallies, err);

	if (!ret)
		ret = report_hot(report, "sources", HOT_SOURCE,
				 "source,method,insns,share,executions,path", tallies,
				 err);
	if (!ret)
		ret = bytecode_names_read(&names, tallies->index->units, err);
	if (!ret && !(put_opcodes(report, tallies) && put_pages(report, &names, tallies)))
		ret = wm_fail_nomem(err, "methods");
	bytecode_names_fini(&names);
	return ret;
}

/* Whether a function that ran is a method by its name. */
static bool has_made(const struct report *report)
{
	for (uint32_t i = 0; i < report->n_hottest; i++) {
		const struct function *function = functions_get(
			report->ask->functions, report->hottest[i].function);

		if (function->symbol && made_name_of(function->symbol).is_method)
			return true;
	}
	return false;
}

/* WM_END: there are no bytecodes. */
static int gather_and_put(struct report *report, struct wm_error *err)
{
	const struct report_ask *ask = report->ask;
	struct tallies tallies;
	int ret =
		tallies_gather(&tallies, ask->trace, ask->functions, ask->selection, err);

	if (!ret)
		ret = put_interpreted(report, &tallies, err);
	tallies_fini(&tallies);
	return ret;
}

int report_methods(struct report *report, struct wm_error *err)
{
	int ret = report->tallies ? put_interpreted(report, report->tallies, err) :
				    gather_and_put(report, err);

	if (ret != WM_END)
		return ret;
	return has_made(report) ? report_hot(report, "methods", HOT_METHOD,
					     method_columns, NULL, err) :
				  0;
}
