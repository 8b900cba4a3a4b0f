// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A profile of pprof: one message Profile of protocol buffers, with the field numbers of
 * its profile.proto. Texts are numbers in a table of strings, whose first is "".
 *
 *	Profile		1 sample_type, 2 sample, 3 mapping, 4 location, 5 function,
 *			6 string_table, 11 period_type, 12 period
 *	ValueType	1 type, 2 unit
 *	Sample		1 location_id, packed, the innermost first; 2 value, packed
 *	Mapping		1 id, 5 filename, 7 has_functions
 *	Location	1 id, 2 mapping_id, 4 line
 *	Line		1 function_id
 *	Function	1 id, 2 name, 3 system_name
 *
 * A sample is a calling context, and its value the instructions that ran there: not a
 * sample, but all of them. Locations and functions have the number of the entity; the one
 * after the last stands for what has no function. Fields of a message may be interleaved,
 * so samples are written as they come.
 */
#include <stdlib.h>
#include <string.h>

#include "analysis/calls/entity_names.h"
#include "analysis/calls/stacks.h"
#include "analysis/counted.h"
#include "base/error.h"
#include "base/intern.h"
#include "export/calls_format.h"
#include "out/protobuf.h"

struct writer {
	FILE *out;
	const struct calls_subject *subject;
	struct stacks stacks;
	struct entity_names names;
	struct interner strings, modules; /* from 1: "" is string 0 */
	struct buf top, message, inner;	  /* reused: of the profile, and what is in it */
	bool failed;			  /* no memory */
};

/* The fields of the profile so far go to the file. */
static void flush_top(struct writer *writer)
{
	writer->failed |= writer->top.failed;
	if (!writer->failed)
		fwrite(writer->top.data, 1, writer->top.len, writer->out);
	writer->top.len = 0;
}

static void put_message(struct writer *writer, uint32_t field)
{
	protobuf_message(&writer->top, field, &writer->message);
	writer->message.len = 0;
	flush_top(writer);
}

/* The number of a text, which is written to the table when it is new. */
static uint64_t string_of(struct writer *writer, const char *text)
{
	bool fresh = false;
	uint32_t number = *text ? intern(&writer->strings, 0, (const uint8_t *)text,
					 (uint32_t)strlen(text), &fresh) :
				  0;

	writer->failed |= *text && !number;
	if (fresh)
		protobuf_string(&writer->top, 6, text);
	return number;
}

static void put_type(struct writer *writer, uint32_t field)
{
	protobuf_uint(&writer->message, 1, string_of(writer, "instructions"));
	protobuf_uint(&writer->message, 2, string_of(writer, "count"));
	put_message(writer, field);
}

/* The number of the file that a function is from, which is written when it is new. */
static uint32_t mapping_of(struct writer *writer, const char *module)
{
	bool fresh;
	uint32_t number = intern(&writer->modules, 0, (const uint8_t *)module,
				 (uint32_t)strlen(module), &fresh);

	writer->failed |= !number;
	if (number && fresh) {
		protobuf_uint(&writer->message, 1, number);
		protobuf_uint(&writer->message, 5, string_of(writer, module));
		protobuf_uint(&writer->message, 7, 1);
		put_message(writer, 3);
	}
	return number;
}

static void put_function(struct writer *writer, uint64_t id, const char *name,
			 const char *symbol, const char *module)
{
	uint32_t mapping = module ? mapping_of(writer, module) : 0;

	protobuf_uint(&writer->message, 1, id);
	protobuf_uint(&writer->message, 2, string_of(writer, name));
	/* pprof shortens names that are their own symbols: it takes them for mangled ones. */
	if (symbol && strcmp(symbol, name))
		protobuf_uint(&writer->message, 3, string_of(writer, symbol));
	put_message(writer, 5);
	protobuf_uint(&writer->message, 1, id);
	if (mapping)
		protobuf_uint(&writer->message, 2, mapping);
	protobuf_uint(&writer->inner, 1, id);
	protobuf_message(&writer->message, 4, &writer->inner);
	writer->inner.len = 0;
	put_message(writer, 4);
}

/* Readers take the first mapping for the program. */
static void put_program(struct writer *writer)
{
	const struct sites *sites = writer->stacks.calls.sites;
	struct wm_space space = { .name = "" };
	const char *base;

	wm_trace_space(writer->subject->trace, 0, &space);
	base = counted_base_name(space.name);
	for (uint32_t i = 1; i <= writer->names.n; i++) {
		const char *module = functions_get(writer->subject->functions,
						   sites_entity(sites, i)->function)
					     ->module;

		if (module && !strcmp(counted_base_name(module), base)) {
			mapping_of(writer, module);
			return;
		}
	}
}

/* Numbers begin at 1, so what has no function comes after the last. */
static uint64_t location_of(const struct writer *writer, uint32_t entity)
{
	return entity ? entity : writer->names.n + 1ull;
}

static void put_functions(struct writer *writer)
{
	const struct sites *sites = writer->stacks.calls.sites;

	for (uint32_t i = 1; i <= writer->names.n; i++) {
		const struct function *function = functions_get(
			writer->subject->functions, sites_entity(sites, i)->function);

		put_function(writer, i, writer->names.all[i], function->symbol,
			     function->module);
	}
	put_function(writer, location_of(writer, 0), writer->names.all[0], NULL, NULL);
}

static void put_stack(struct writer *writer, const struct stack *stack)
{
	for (uint32_t i = stack->n; i--;)
		buf_put_varint(&writer->inner, location_of(writer, stack->entities[i]));
	if (!stack->n)
		buf_put_varint(&writer->inner, location_of(writer, 0));
	protobuf_message(&writer->message, 1, &writer->inner);
	writer->inner.len = 0;
	buf_put_varint(&writer->inner, stack->insns);
	protobuf_message(&writer->message, 2, &writer->inner);
	writer->inner.len = 0;
	put_message(writer, 2);
}

static void put_profile(struct writer *writer)
{
	struct stack stack;

	protobuf_string(&writer->top, 6, "");
	put_type(writer, 1);
	put_type(writer, 11);
	protobuf_uint(&writer->top, 12, 1);
	put_program(writer);
	put_functions(writer);
	while (stacks_next(&writer->stacks, &stack) && !writer->failed &&
	       !ferror(writer->out))
		put_stack(writer, &stack);
}

static int write_all(FILE *out, struct calls_picture *picture, struct wm_error *err)
{
	struct writer writer = { .out = out, .subject = &picture->subject };
	int ret = stacks_gather(&writer.stacks, &picture->subject, err);

	if (ret)
		return ret;
	ret = entity_names_init(&writer.names, writer.stacks.calls.sites, err);
	if (!ret) {
		put_profile(&writer);
		picture->levels = writer.stacks.levels;
	}
	if (!ret && writer.failed)
		ret = wm_fail_nomem(err, "a profile");
	entity_names_fini(&writer.names);
	stacks_fini(&writer.stacks);
	interner_fini(&writer.strings);
	interner_fini(&writer.modules);
	buf_fini(&writer.top);
	buf_fini(&writer.message);
	buf_fini(&writer.inner);
	return ret;
}

const struct calls_format calls_pprof = {
	.format = { "pprof", FORMAT_CALLS, "pprof", "for go tool pprof", .binary = true },
	.write = write_all,
};
