// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Callgrind's profiles. A block of lines for each function; lines with a cost are the
 * address and line of an instruction, and how often it ran:
 *
 *	ob=(1) /home/me/prog		file of the code
 *	fl=(1) /home/me/prog.c		file of the source
 *	fn=(2) main
 *	0x10400 12 1			address, line, instructions
 *	cob=(1)				a call: of which function,
 *	cfi=(1)
 *	cfn=(3) f
 *	calls=5 0x10480 3		how often, and where that begins;
 *	0x10404 13 500			where it is called, and what that took
 *	fi=(2) /usr/include/list.h	what follows was inlined from that file
 *	0x1040c 88 5
 *	jcnd=30/40 0x10420 14		a branch, taken 30 times of 40, and its target;
 *	0x1040c 88			where it is; "jump=30" if it has no condition
 *
 * A name is written out where its number is first met. The costs of an instruction and of
 * the calls that it makes are separate lines.
 *
 * Readers take a line of cost after "calls=0" for instructions of the function itself. So
 * control that came into a function's middle, which is no call, is written as one call.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/calls/costs.h"
#include "analysis/calls/entity_names.h"
#include "analysis/calls/jumps.h"
#include "base/error.h"
#include "base/intern.h"
#include "export/calls_format.h"
#include "out/text.h"

/* A name that is not known, in the words of callgrind. */
#define UNKNOWN "???"

struct writer {
	FILE *out;
	const struct calls_subject *subject;
	struct costs costs;
	struct jumps jumps;
	uint32_t last_function; /* whose jumps were written last */
	struct entity_names names;
	struct interner files, modules, functions; /* names by number */
	bool failed;				   /* no memory */
};

/* Writes "KEY=(NUMBER) NAME", the name only when it is new. */
static void put_name(struct writer *writer, const char *key, struct interner *names,
		     const char *name)
{
	bool fresh;
	uint32_t number =
		intern(names, 0, (const uint8_t *)name, (uint32_t)strlen(name), &fresh);

	writer->failed |= !number;
	fprintf(writer->out, "%s=(%" PRIu32 ")", key, number);
	if (fresh) {
		putc(' ', writer->out);
		text_line(writer->out, name);
	}
	putc('\n', writer->out);
}

static const char *module_of(const struct writer *writer, uint32_t entity)
{
	const struct entity *found = sites_entity(writer->costs.sites, entity);
	const char *module =
		functions_get(writer->subject->functions, found->function)->module;

	return module ? module : UNKNOWN;
}

static void put_file(struct writer *writer, const char *key, uint32_t source)
{
	put_name(writer, key, &writer->files,
		 source ? srclines_path(writer->subject->lines, source) : UNKNOWN);
}

static void put_place(struct writer *writer, const struct costs_place *place)
{
	fprintf(writer->out, "0x%" PRIx64 " %" PRIu32, place->address, place->line);
}

static void put_cost(struct writer *writer, const struct cost *cost)
{
	const struct costs_place *entry = &writer->costs.entries[cost->callee];

	if (cost->callee) {
		put_name(writer, "cob", &writer->modules,
			 module_of(writer, cost->callee));
		put_file(writer, "cfi", entry->source);
		put_name(writer, "cfn", &writer->functions,
			 writer->names.all[cost->callee]);
		fprintf(writer->out, "calls=%" PRIu64 " ", cost->calls ? cost->calls : 1);
		put_place(writer, entry);
		putc('\n', writer->out);
	}
	put_place(writer, &cost->at);
	fprintf(writer->out, " %" PRIu64 "\n", cost->insns);
}

/* The file of what follows becomes `source`, of a function that begins in file `own`. */
static void change_file(struct writer *writer, uint32_t *now, uint32_t source,
			uint32_t own)
{
	if (*now == source)
		return;
	*now = source;
	put_file(writer, source == own ? "fe" : "fi", source);
}

static void put_jump(struct writer *writer, const struct jump *jump)
{
	if (jump->to.source != jump->from.source)
		put_file(writer, "jfi", jump->to.source);
	if (jump->executed)
		fprintf(writer->out, "jcnd=%" PRIu64 "/%" PRIu64, jump->taken,
			jump->executed);
	else
		fprintf(writer->out, "jump=%" PRIu64, jump->taken);
	fprintf(writer->out, " 0x%" PRIx64 " %" PRIu32 "\n0x%" PRIx64 " %" PRIu32 "\n",
		jump->to.address, jump->to.line, jump->from.address, jump->from.line);
}

/*
 * The jumps of a function, with its first entity. A branch that was never taken is none: where
 * it would have led to is not known.
 */
static void put_jumps(struct writer *writer, uint32_t entity, uint32_t *now, uint32_t own)
{
	uint32_t function = sites_entity(writer->costs.sites, entity)->function;
	size_t n;
	const struct jump *jumps = jumps_of(&writer->jumps, function, &n);

	if (function == writer->last_function)
		return;
	writer->last_function = function;
	for (size_t i = 0; i < n; i++)
		if (jumps[i].taken) {
			change_file(writer, now, jumps[i].from.source, own);
			put_jump(writer, &jumps[i]);
		}
}

/* Writes the function of costs[0], up to costs[n]. Returns how many there are of it. */
static size_t put_function(struct writer *writer, const struct cost *costs, size_t n)
{
	uint32_t entity = costs->entity;
	uint32_t source = writer->costs.entries[entity].source, own = source;
	size_t i = 0;

	putc('\n', writer->out);
	put_name(writer, "ob", &writer->modules, module_of(writer, entity));
	put_file(writer, "fl", own);
	put_name(writer, "fn", &writer->functions, writer->names.all[entity]);
	for (; i < n && costs[i].entity == entity; i++) {
		change_file(writer, &source, costs[i].at.source, own);
		put_cost(writer, &costs[i]);
	}
	put_jumps(writer, entity, &source, own);
	return i;
}

static void put_header(struct writer *writer)
{
	const char *command = wm_trace_meta(writer->subject->trace, "command");

	fputs("# callgrind format\nversion: 1\ncreator: waymark " WAYMARK_VERSION "\n",
	      writer->out);
	if (command) {
		fputs("cmd: ", writer->out);
		text_end_line(writer->out, command);
	}
	fputs("positions: instr line\nevent: Instructions : Instructions executed\n"
	      "events: Instructions\n",
	      writer->out);
	fprintf(writer->out, "summary: %" PRIu64 "\n", writer->costs.insns);
}

static int write_all(FILE *out, struct calls_picture *picture, struct wm_error *err)
{
	struct writer writer = { .out = out, .subject = &picture->subject };
	int ret = costs_gather(&writer.costs, &picture->subject, err);

	if (!ret)
		ret = jumps_gather(&writer.jumps, &picture->subject, err);
	if (!ret)
		ret = entity_names_init(&writer.names, writer.costs.sites, err);
	if (!ret) {
		put_header(&writer);
		for (size_t i = 0; i < writer.costs.n;)
			i += put_function(&writer, &writer.costs.all[i],
					  writer.costs.n - i);
		fprintf(out, "\ntotals: %" PRIu64 "\n", writer.costs.insns);
	}
	if (!ret && writer.failed)
		ret = wm_fail_nomem(err, "names");
	entity_names_fini(&writer.names);
	interner_fini(&writer.files);
	interner_fini(&writer.modules);
	interner_fini(&writer.functions);
	jumps_fini(&writer.jumps);
	costs_fini(&writer.costs);
	return ret;
}

const struct calls_format calls_callgrind = {
	.one_by_one = true,
	.format = { "callgrind", FORMAT_CALLS, "callgrind.out",
		    "for KCachegrind and callgrind_annotate" },
	.write = write_all,
};
