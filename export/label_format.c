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

/* Where instructions with long names end, and blocks with theirs. */
const struct line_labels labels_insn_text = { .column = 90, .print = print_text };
const struct line_labels labels_block_text = { .column = 98, .print = print_text };

const struct line_labels labels_csv = {
	.columns = ",method,bytecode,opcode,method_line,note",
	.print = print_csv,
};

const struct line_labels labels_jsonl = { .print = print_jsonl };
