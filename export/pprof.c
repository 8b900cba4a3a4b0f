// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A profile of pprof: one message Profile of protocol buffers, with the field numbers of
 * its profile.proto. Texts are numbers in a table of strings, whose first is "".
 *
 *	Profile		1 sample_type, 2 sample, 3 mapping, 4 location, 5 function,
 *			6 string_table, 11 period_type, 12 period
 *	ValueType	1 type, 2 unit
 *	Sample		1 location_id, packed, the innermost first; 2 value, packed
 *	Mapping		1 id, 5 filename, 7 has_functions, 8 has_filenames,
 *			9 has_line_numbers
 *	Location	1 id, 2 mapping_id, 4 line
 *	Line		1 function_id, 2 line
 *	Function	1 id, 2 name, 3 system_name, 4 filename
 *
 * A sample is a calling context with a line, and its value the instructions that ran there:
 * not a sample, but all of them. Its stack has a function's line right behind the function
 * (functions_divide()): both are one location. A function with code from several sources is
 * several functions of that name, because pprof knows one source of each. Of methods that are
 * interpreted only the first line is known. Fields of a message
 * may be interleaved, so what a sample needs is written when it is first needed.
 */
#include <stdlib.h>
#include <string.h>

#include "analysis/calls/entity_names.h"
#include "analysis/calls/method_places.h"
#include "analysis/calls/stacks.h"
#include "analysis/counted.h"
#include "base/append.h"
#include "base/error.h"
#include "base/intern.h"
#include "export/calls_format.h"
#include "out/protobuf.h"

struct writer {
	FILE *out;
	const struct calls_subject *subject;
	struct stacks stacks;
	struct entity_names names;
	struct srcline *places;	 /* [entities + 1] where methods begin */
	struct interner strings; /* from 1: "" is string 0 */
	/* By entity and source; by one of these and line; by path with its NUL. */
	struct interner functions, locations, modules;
	bool *has_lines; /* [n_modules] by number - 1 */
	size_t n_modules;
	struct buf top, message, inner; /* reused: of the profile, and what is in it */
	struct buf stack;		/* likewise: locations of a sample */
	uint32_t levels;		/* most of them in one */
	bool failed;			/* no memory */
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

/* The number of the file that a function is from. */
static uint32_t mapping_of(struct writer *writer, const char *module)
{
	bool fresh = false;
	uint32_t number = intern(&writer->modules, 0, (const uint8_t *)module,
				 (uint32_t)strlen(module) + 1, &fresh);

	writer->failed |= !number ||
			  (fresh && !APPEND(writer->has_lines, writer->n_modules, false));
	return number;
}

/* Files come last, when it is known which have lines. */
static void put_mappings(struct writer *writer)
{
	for (uint32_t i = 1; i <= writer->n_modules; i++) {
		uint64_t address;
		uint32_t bytes;
		const uint8_t *path = intern_code(&writer->modules, i, &address, &bytes);

		protobuf_uint(&writer->message, 1, i);
		protobuf_uint(&writer->message, 5, string_of(writer, (const char *)path));
		protobuf_uint(&writer->message, 7, 1);
		if (writer->has_lines[i - 1]) {
			protobuf_uint(&writer->message, 8, 1);
			protobuf_uint(&writer->message, 9, 1);
		}
		put_message(writer, 3);
	}
}

/* The function that an entity belongs to. NULL for entity 0, which has none. */
static const struct function *function_of(const struct writer *writer, uint32_t entity)
{
	const struct sites *sites = writer->stacks.calls.sites;

	return entity ? functions_get(writer->subject->functions,
				      sites_entity(sites, entity)->function) :
			NULL;
}

/* The number of a pair; *fresh is true when it is new. */
static uint32_t number_of(struct writer *writer, struct interner *pairs, uint32_t a,
			  uint32_t b, bool *fresh)
{
	const uint32_t pair[] = { a, b };
	uint32_t number = intern(pairs, 0, (const uint8_t *)pair, sizeof(pair), fresh);

	writer->failed |= !number;
	return number;
}

/* The number of a function with code of that source, which is written when it is new. */
static uint32_t put_function(struct writer *writer, uint32_t entity, uint32_t source)
{
	const struct function *function = function_of(writer, entity);
	const char *name = writer->names.all[entity];
	bool fresh = false;
	uint32_t number = number_of(writer, &writer->functions, entity, source, &fresh);

	if (!fresh)
		return number;
	protobuf_uint(&writer->message, 1, number);
	protobuf_uint(&writer->message, 2, string_of(writer, name));
	/* pprof shortens names that are their own symbols: it takes them for mangled ones. */
	if (function && function->symbol && strcmp(function->symbol, name))
		protobuf_uint(&writer->message, 3, string_of(writer, function->symbol));
	if (source)
		protobuf_uint(&writer->message, 4,
			      string_of(writer,
					srclines_path(writer->subject->lines, source)));
	put_message(writer, 5);
	return number;
}

/* The number of a place in an entity, which is written when it is new. */
static uint32_t put_location(struct writer *writer, uint32_t entity,
			     const struct srcline *line)
{
	const struct function *function = function_of(writer, entity);
	uint32_t of = put_function(writer, entity, line->source), mapping = 0;
	bool fresh = false;
	uint32_t number = number_of(writer, &writer->locations, of, line->number, &fresh);

	if (!fresh || writer->failed)
		return number;
	if (function && function->module)
		mapping = mapping_of(writer, function->module);
	protobuf_uint(&writer->message, 1, number);
	if (mapping)
		protobuf_uint(&writer->message, 2, mapping);
	protobuf_uint(&writer->inner, 1, of);
	if (line->number)
		protobuf_uint(&writer->inner, 2, line->number);
	if (mapping && line->number && !writer->failed)
		writer->has_lines[mapping - 1] = true;
	protobuf_message(&writer->message, 4, &writer->inner);
	writer->inner.len = 0;
	put_message(writer, 4);
	return number;
}

/* Readers take the first mapping for the program. */
static void put_program(struct writer *writer)
{
	const struct sites *sites = writer->stacks.calls.sites;
	struct wm_space space = { .name = "" };
	const char *base;

	wm_trace_space(writer->subject->trace, 0, &space);
	base = counted_base_name(space.name);
	for (uint32_t i = 1; i <= sites_entities(sites); i++) {
		const char *module = function_of(writer, i)->module;

		if (module && !strcmp(counted_base_name(module), base)) {
			mapping_of(writer, module);
			return;
		}
	}
}

/* The innermost comes first. */
static void put_stack(struct writer *writer, const struct stack *stack)
{
	static const struct srcline none = { 0 };
	uint32_t levels = 0;

	for (uint32_t i = stack->n; i--; levels++) {
		const struct function *function = function_of(writer, stack->entities[i]);
		/* A damaged trace may run blocks that its counts do not have. */
		const struct srcline *line = function ? &function->line : &none;

		if (line->number && i)
			i--;
		else
			line = &writer->places[stack->entities[i]];
		buf_put_varint(&writer->stack,
			       put_location(writer, stack->entities[i], line));
	}
	if (!stack->n)
		buf_put_varint(&writer->stack, put_location(writer, 0, &none));
	if (levels > writer->levels)
		writer->levels = levels;
	protobuf_message(&writer->message, 1, &writer->stack);
	writer->stack.len = 0;
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
	while (stacks_next(&writer->stacks, &stack) && !writer->failed &&
	       !ferror(writer->out))
		put_stack(writer, &stack);
	put_mappings(writer);
}

/* The stacks, with the lines of functions as levels of their own. */
static int gather(struct writer *writer, struct wm_error *err)
{
	const struct calls_subject *subject = writer->subject;
	int ret;

	functions_divide(subject->functions, subject->lines);
	/* There are several lines to a function, and a level for each level of calls. */
	ret = stacks_gather(&writer->stacks, subject, 4 * STACKS_CONTEXTS, err);
	functions_divide(subject->functions, NULL);
	return ret;
}

static int write_all(FILE *out, struct calls_picture *picture, struct wm_error *err)
{
	struct writer writer = { .out = out, .subject = &picture->subject };
	int ret = gather(&writer, err);

	if (ret)
		return ret;
	ret = entity_names_init(&writer.names, writer.stacks.calls.sites, err);
	if (!ret)
		ret = method_places(&writer.places, &picture->subject,
				    writer.stacks.calls.sites, err);
	if (!ret) {
		put_profile(&writer);
		picture->levels = writer.stacks.levels ? writer.levels : 0;
		picture->light_insns = writer.stacks.light;
	}
	if (!ret && writer.failed)
		ret = wm_fail_nomem(err, "a profile");
	entity_names_fini(&writer.names);
	stacks_fini(&writer.stacks);
	interner_fini(&writer.strings);
	interner_fini(&writer.functions);
	interner_fini(&writer.locations);
	interner_fini(&writer.modules);
	free(writer.has_lines);
	free(writer.places);
	buf_fini(&writer.top);
	buf_fini(&writer.message);
	buf_fini(&writer.inner);
	buf_fini(&writer.stack);
	return ret;
}

const struct calls_format calls_pprof = {
	.format = { "pprof", FORMAT_CALLS, "pprof", "for go tool pprof", .binary = true },
	.write = write_all,
};
