// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Comma-separated values with a line of column names (RFC 4180, but lines end with a newline
 * alone). Addresses are hexadecimal; symbol and offset are empty when not known. A gap is
 * no line, unless bytecodes are shown (export/label_format.c): the ordinals go on after it.
 *
 *	ordinal,address,symbol,offset,code,disassembly
 *	0,0x10400,_start,0,00000517,"auipc a0, 0"
 */
#include "export/block_format.h"
#include "export/insn_format.h"

#include "out/text.h"

#include <inttypes.h>
#include <stdlib.h>

/* Two fields, also when there is no symbol. */
static void print_symbol(FILE *out, const char *symbol, uint64_t offset)
{
	if (symbol) {
		text_csv(out, symbol);
		fprintf(out, ",%" PRIu64 ",", offset);
	} else {
		fputs(",,", out);
	}
}

/* Commas separate operands too, so this field is always quoted; it has no quotes. */
static void print_disas(FILE *out, const char *disas)
{
	putc('"', out);
	text_disas(out, disas, 0);
	fputs("\"\n", out);
}

/* The ordinal is printed already; these are the fields after it. */
static void print_insn(FILE *out, const struct insn *insn)
{
	char code[INSN_CODE_TEXT];

	fprintf(out, ",0x%" PRIx64 ",", insn->address);
	print_symbol(out, insn->symbol, insn->offset);
	fprintf(out, "%s,", insn_code(insn, "", code));
	print_disas(out, insn->disas);
}

static void print_block(FILE *out, const struct block *block)
{
	fprintf(out, ",%" PRIu32 ",0x%" PRIx64 ",", block->id, block->address);
	print_symbol(out, block->symbol, block->offset);
	fprintf(out, "%u,%u,", block->insns, block->bytes);
	print_disas(out, block->last);
}

/*
 * The ordinal is printed before print() and needs no name in front of it; a thread column
 * comes first when threads are mixed.
 */
#define CSV_LEAD                                                               \
	.before_ordinal = "", .thread_header = "thread,", .before_thread = "", \
	.after_thread = ",", .tail = "\n", .labels = &labels_csv

const struct insn_format insn_csv = {
	.line = {
		.format = { "csv", FORMAT_INSNS, "csv", "a line of names, then a line each" },
		.header = "ordinal,address,symbol,offset,code,disassembly\n",
		CSV_LEAD,
		.accesses = &accesses_csv,
	},
	.print = print_insn,
};

const struct block_format block_csv = {
	.line = {
		.format = { "csv", FORMAT_BLOCKS, "csv", "a line of names, then a line each" },
		.header = "ordinal,block,address,symbol,offset,insns,bytes,last\n",
		CSV_LEAD,
	},
	.print = print_block,
};

/* ---- events -------------------------------------------------------------- */

/* Prints text into memory and writes it as one field, quoted where necessary. */
static void print_field(FILE *out, void (*print)(FILE *, const struct event *),
			const struct event *event, const char *end)
{
	char *text = NULL;
	size_t bytes;
	FILE *field = open_memstream(&text, &bytes);

	/* Without memory the field stays empty. */
	if (field) {
		print(field, event);
		fputs(end, field);
		fclose(field);
	}
	if (text)
		text_csv(out, text);
	free(text);
}

/* Three columns: name, value, text. What a kind does not have stays empty. */
static void print_named(FILE *out, const struct event *event)
{
	const uint64_t *fields = event->raw->fields;
	char text[KERNEL_NAME];
	const char *name;

	switch (event->raw->kind) {
	case WM_EVENT_SYSCALL:
		name = kernel_call_name(event->kernel, fields[0], text);
		fprintf(out, "%s,,", name);
		print_field(out, event_print_call, event, ")");
		break;
	case WM_EVENT_SYSCALL_RET:
		name = kernel_call_name(event->kernel, fields[0], text);
		fprintf(out, "%s,%" PRId64 ",", name,
			kernel_signed(event->kernel, fields[1]));
		print_field(out, event_print_value, event, "");
		break;
	case WM_EVENT_SIGNAL:
		name = kernel_signal_name(fields[0], text);
		fprintf(out, "%s,%" PRIu64 ",", name ? name : "", fields[0]);
		print_field(out, event_print_signal, event, "");
		break;
	case WM_EVENT_MARKER:
		fprintf(out, "%s,%" PRIu64 ",", event_marker_name(fields[0]), fields[1]);
		print_field(out, event_print_marker, event, "");
		break;
	case WM_EVENT_WINDOW:
		fprintf(out, "%s,", event_window_change(fields[0]));
		/* A switch by `waymark ctl` is no numbered window. */
		if (fields[1] != WM_WINDOW_WISH)
			fprintf(out, "%" PRIu64, fields[1]);
		putc(',', out);
		print_field(out, event_print_window, event, "");
		break;
	default:
		fputs(",,", out);
		print_field(out, event_print_other, event, "");
	}
}

/*
 * Eight columns in every line. An event of a process has "p" and the process's number in
 * place of a thread.
 */
static void print_event(FILE *out, const struct event *event)
{
	const struct wm_event *raw = event->raw;

	if (event->thread != EVENT_NO_THREAD)
		fprintf(out, "%u,%" PRIu64 ",%" PRIu64 ",", event->thread,
			raw->block_ordinal, raw->insn_ordinal);
	else if (event->process != UINT32_MAX)
		fprintf(out, "p%" PRIu32 ",,,", event->process);
	else
		fputs(",,,", out);
	fprintf(out, "%" PRIu64 ",", event->ns);
	/* A kind that a newer Waymark recorded is its number. */
	if (event->info)
		fprintf(out, "%s,", event->info->name);
	else
		fprintf(out, "%" PRIu32 ",", raw->kind);
	print_named(out, event);
	putc('\n', out);
}

const struct event_format event_csv = {
	.format = { "csv", FORMAT_EVENTS, "csv", "a line of names, then a line each" },
	.header = "thread,block,insn,ns,event,name,value,text\n",
	.print = print_event,
};
