// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The bytecode that an instruction is of, at the end of its line:
 *
 *	text	... ld a5, 8(sp)    fib@4:2
 *	csv	five more columns: fib,4,LOAD_CONST,2,
 *	jsonl	"method":"fib","bytecode":4,"opcode":"LOAD_CONST","method_line":2,"note":""
 *
 * In text a mark follows where the bytecode was not fetched, as in `waymark bytecodes`:
 * "fib@6:2 ~".
 *
 * Of a gap, how many bytecodes must have run there, or why that is not known:
 *
 *	text	...  not recorded: 30 instructions; 2 bytecodes recovered
 *	csv	a row with its place and a note: 9120,,,,,,,,,,gap: 2 recovered
 *	jsonl	"not_recorded":30,"recovered":2
 */
#include "export/label_format.h"

#include <inttypes.h>
#include <stdlib.h>

#include "out/json.h"
#include "out/text.h"

static void print_text(FILE *out, const struct line_label *label)
{
	if (!label)
		return;
	fputs("  ", out);
	text_line(out, label->method);
	text_line(out, label->detail);
	fprintf(out, "@%" PRIu32, label->offset);
	if (label->line)
		fprintf(out, ":%" PRIu32, label->line);
	if (label->mark != ' ')
		fprintf(out, " %c", label->mark);
}

static void print_csv(FILE *out, const struct line_label *label)
{
	char *name = NULL;

	if (!label || asprintf(&name, "%s%s", label->method, label->detail) < 0) {
		fputs(",,,,,", out);
		return;
	}
	putc(',', out);
	text_csv(out, name);
	free(name);
	fprintf(out, ",%" PRIu32 ",%s,", label->offset,
		label->opcode ? label->opcode : "");
	if (label->line)
		fprintf(out, "%" PRIu32, label->line);
	fprintf(out, ",%s", label->note);
}

static void print_jsonl(FILE *out, const struct line_label *label)
{
	char *name = NULL;

	if (!label || asprintf(&name, "%s%s", label->method, label->detail) < 0) {
		fputs(",\"method\":null", out);
		return;
	}
	fputs(",\"method\":", out);
	json_quote(out, name);
	free(name);
	fprintf(out, ",\"bytecode\":%" PRIu32, label->offset);
	if (label->opcode)
		fprintf(out, ",\"opcode\":\"%s\"", label->opcode);
	if (label->line)
		fprintf(out, ",\"method_line\":%" PRIu32, label->line);
	if (*label->note)
		fprintf(out, ",\"note\":\"%s\"", label->note);
}

/* ---- gaps ---------------------------------------------------------------- */

static int gap_text(char *text, size_t size, const struct line_gap *gap)
{
	if (gap->why)
		return snprintf(text, size, "; %s", gap->why);
	return snprintf(text, size, "; %" PRIu64 " bytecode%s recovered", gap->between,
			gap->between == 1 ? "" : "s");
}

/* As the note of `bytecodes` has it. */
static int gap_csv(char *text, size_t size, const struct line_gap *gap)
{
	if (gap->why)
		return snprintf(text, size, "gap: %s", gap->why);
	return snprintf(text, size, "gap: %" PRIu64 " recovered", gap->between);
}

static int gap_jsonl(char *text, size_t size, const struct line_gap *gap)
{
	if (gap->why)
		return snprintf(text, size, ",\"gap\":\"%s\"", gap->why);
	return snprintf(text, size, ",\"recovered\":%" PRIu64, gap->between);
}

/* ---- formats ------------------------------------------------------------- */

/* Where instructions with long names end, and blocks with theirs. */
const struct line_labels labels_insn_text = { .column = 90,
					      .print = print_text,
					      .gap = gap_text };
const struct line_labels labels_block_text = { .column = 98,
					       .print = print_text,
					       .gap = gap_text };

const struct line_labels labels_csv = {
	.columns = ",method,bytecode,opcode,method_line,note",
	.print = print_csv,
	.gap = gap_csv,
};

const struct line_labels labels_jsonl = { .print = print_jsonl, .gap = gap_jsonl };
