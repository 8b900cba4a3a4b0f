// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * JSON lines: one object a line, so that a reader needs no memory for the rest. Addresses
 * are strings, because readers that take numbers for doubles would round them.
 *
 *	{"ordinal":0,"address":"0x10400","symbol":"_start","offset":0,"code":"00000517", ...}
 *	{"ordinal":9,"not_recorded":1200}	a gap in which 1,200 instructions ran
 *
 * The start of a line up to the ordinal is the printer's (export/line_format.h); print()
 * writes the rest, which begins with a comma.
 */
#include "events/render.h"
#include "export/block_format.h"
#include "export/insn_format.h"

#include "out/json.h"
#include "out/text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static void print_address(FILE *out, uint64_t address, const char *symbol,
			  uint64_t offset)
{
	fprintf(out, ",\"address\":\"0x%" PRIx64 "\",\"symbol\":", address);
	/* Both keys are always present: null where there is no symbol. */
	if (symbol) {
		json_quote(out, symbol);
		fprintf(out, ",\"offset\":%" PRIu64, offset);
	} else {
		fputs("null,\"offset\":null", out);
	}
}

/* The last member, and the end of the object. */
static void print_disas(FILE *out, const char *key, const char *disas)
{
	char *text = text_disas_new(disas, 0);

	fprintf(out, ",\"%s\":", key);
	json_quote(out, text ? text : disas);
	fputs("}\n", out);
	free(text);
}

/* `before_ordinal` and the ordinal are already printed. */
static void print_insn(FILE *out, const struct insn *insn)
{
	char code[INSN_CODE_TEXT];

	print_address(out, insn->address, insn->symbol, insn->offset);
	fprintf(out, ",\"code\":\"%s\"", insn_code(insn, "", code));
	if (insn->source) {
		fputs(",\"source\":", out);
		json_quote(out, insn->source);
		fprintf(out, ",\"line\":%" PRIu32, insn->source_line);
	}
	print_disas(out, "disassembly", insn->disas);
}

static void print_block(FILE *out, const struct block *block)
{
	fprintf(out, ",\"block\":%" PRIu32, block->id);
	print_address(out, block->address, block->symbol, block->offset);
	fprintf(out, ",\"insns\":%u,\"bytes\":%u", block->insns, block->bytes);
	print_disas(out, "last", block->last);
}

/*
 * The rest of the line after the ordinal's key. 0 instructions means that the recorder
 * did not count.
 */
static int print_gap(char *text, size_t size, uint64_t ordinal, uint64_t insns)
{
	if (!insns)
		return snprintf(text, size, "%" PRIu64 ",\"not_recorded\":null}\n",
				ordinal);
	return snprintf(text, size, "%" PRIu64 ",\"not_recorded\":%" PRIu64 "}\n",
			ordinal, insns);
}

/*
 * An instruction that may not have run gets its member in place of "}\n".
 */
#define JSONL_LINE                                                          \
	.before_ordinal = "{\"ordinal\":", .before_thread = "{\"thread\":", \
	.after_thread = ",\"ordinal\":", .tail = "}\n",                     \
	.uncertain = ",\"uncertain\":true}\n", .gap = print_gap, .events = &event_jsonl

const struct insn_format insn_jsonl = {
	.line = { .format = { "jsonl", FORMAT_INSNS, "jsonl", "a JSON object a line" },
		  JSONL_LINE,
		  .lines = true,
		  .accesses = &accesses_jsonl,
		  .labels = &labels_jsonl },
	.print = print_insn,
};

const struct block_format block_jsonl = {
	.line = { .format = { "jsonl", FORMAT_BLOCKS, "jsonl", "a JSON object a line" },
		  JSONL_LINE,
		  .labels = &labels_jsonl },
	.print = print_block,
};

/* ---- events -------------------------------------------------------------- */

static void json_hex(struct json *json, const char *key, uint64_t value)
{
	char text[24];

	snprintf(text, sizeof(text), "0x%" PRIx64, value);
	json_string(json, key, text);
}

/* "offset" is there whether there is a symbol or not, so that all lines have it. */
static void json_place(struct json *json, const char *symbol, uint64_t offset)
{
	json_string(json, "symbol", symbol);
	if (symbol)
		json_uint(json, "offset", offset);
	else
		json_null(json, "offset");
}

/* The string that was captured; NULs in it cut it short. */
static void json_text(struct json *json, const struct wm_event *raw)
{
	char *text = raw->text_bytes ? strndup(raw->text, raw->text_bytes) : NULL;

	if (text)
		json_string(json, "text", text);
	free(text);
}

static void json_call(struct json *json, const struct event *event)
{
	const uint64_t *fields = event->raw->fields;
	const struct call *call = kernel_call(event->kernel, fields[0]);
	/*
	 * A call without a known name has all its arguments; others have as many as they
	 * take.
	 */
	size_t n = call ? strlen(call->takes) : KERNEL_ARGS;
	char text[KERNEL_NAME];

	json_string(json, "name", kernel_call_name(event->kernel, fields[0], text));
	json_uint(json, "number", fields[0]);
	/* Signed by the guest's width: on a 32-bit guest 0xfffffff2 is -14. */
	if (event->raw->kind == WM_EVENT_SYSCALL_RET) {
		json_int(json, "value", kernel_signed(event->kernel, fields[1]));
		json_string(json, "error",
			    kernel_error_name(kernel_error(event->kernel, fields[1])));
		return;
	}
	json_array(json, "args");
	for (size_t i = 0; i < n && i < KERNEL_ARGS; i++)
		json_hex(json, NULL, fields[1 + i]);
	json_close(json);
}

static void json_signal(struct json *json, const struct event *event)
{
	const uint64_t *fields = event->raw->fields;
	char text[KERNEL_NAME];

	/* A signal without a name is null. */
	json_string(json, "name", kernel_signal_name(fields[0], text));
	json_uint(json, "signal", fields[0]);
	/* si_code is a signed 32-bit number; null where it is not known. */
	if (fields[1] == WM_SIGNAL_CODE_UNKNOWN)
		json_null(json, "code");
	else
		json_int(json, "code", (int32_t)fields[1]);
	json_hex(json, "pc", fields[2]);
	json_place(json, event->symbol, event->offset);
	json_hex(json, "fault", fields[3]);
	json_hex(json, "handler", fields[4]);
}

static void json_marker(struct json *json, const struct event *event)
{
	json_string(json, "name", event_marker_name(event->raw->fields[0]));
	json_uint(json, "id", event->raw->fields[1]);
}

static void json_window(struct json *json, const struct event *event)
{
	const uint64_t *fields = event->raw->fields;

	json_string(json, "name", event_window_change(fields[0]));
	/* A switch by `waymark ctl` is no numbered window. */
	if (fields[1] == WM_WINDOW_WISH)
		json_null(json, "window");
	else
		json_uint(json, "window", fields[1]);
	/* Instructions that the thread executed unrecorded so far. */
	json_uint(json, "passed", fields[2]);
}

static void json_field(struct json *json, const struct event_field *field, uint64_t value)
{
	/* A value that has a name is printed as the name. */
	const char *word = event_word(field, value);

	if (word)
		json_string(json, field->name, word);
	else if (field->type == FIELD_SIGNED)
		json_int(json, field->name, (int64_t)value);
	else if (field->type == FIELD_HEX)
		json_hex(json, field->name, value);
	else
		json_uint(json, field->name, value);
}

/* Nothing is known of the fields of a kind that a newer Waymark recorded. */
static void json_fields(struct json *json, const struct event *event)
{
	for (unsigned i = 0; event->info && i < event->raw->n_fields; i++)
		json_field(json, &event->info->fields[i], event->raw->fields[i]);
}

/* An event without a thread has a time but no place; it may still belong to a process. */
static void json_where(struct json *json, const struct event *event)
{
	if (event->thread != EVENT_NO_THREAD) {
		json_uint(json, "thread", event->thread);
		json_uint(json, "block", event->raw->block_ordinal);
		json_uint(json, "insn", event->raw->insn_ordinal);
		return;
	}
	json_null(json, "thread");
	if (event->process == UINT32_MAX)
		json_null(json, "process");
	else
		json_uint(json, "process", event->process);
}

static void print_event(FILE *out, const struct event *event)
{
	const struct wm_event *raw = event->raw;
	struct json json;
	char number[16];

	json_init(&json, out, false);
	json_object(&json, NULL);
	json_where(&json, event);
	json_uint(&json, "ns", event->ns);
	/* An unknown kind is its number, as a string like all kinds. */
	snprintf(number, sizeof(number), "%" PRIu32, raw->kind);
	json_string(&json, "event", event->info ? event->info->name : number);
	if (raw->kind == WM_EVENT_SYSCALL || raw->kind == WM_EVENT_SYSCALL_RET)
		json_call(&json, event);
	else if (raw->kind == WM_EVENT_SIGNAL)
		json_signal(&json, event);
	else if (raw->kind == WM_EVENT_MARKER)
		json_marker(&json, event);
	else if (raw->kind == WM_EVENT_WINDOW)
		json_window(&json, event);
	else
		json_fields(&json, event);
	json_text(&json, raw);
	json_close(&json);
}

const struct event_format event_jsonl = {
	.format = { "jsonl", FORMAT_EVENTS, "jsonl", "a JSON object a line" },
	.print = print_event,
};
