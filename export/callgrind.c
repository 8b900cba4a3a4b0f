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
 * Where accesses to memory were recorded, lines of an instruction have more events, by the
 * names that callgrind has for them (Dr Dw I1mr D1mr ...), as a hierarchy of the first preset
 * of `waymark cache` misses. Lines of calls have their instructions only: which misses are
 * inside a call is not known.
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
#include "export/cache_format.h"
#include "export/calls_format.h"
#include "out/text.h"
#include "trace/values.h"

/* A name that is not known, in the words of callgrind. */
#define UNKNOWN "???"

struct writer {
	FILE *out;
	const struct calls_subject *subject;
	struct costs costs;
	struct cache_profile caches; /* with_caches */
	bool with_caches;
	struct cache_depths depths;
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

/* Accesses to data, then what each level missed of everything. */
static void put_tally(const struct writer *writer, const struct cache_tally *tally)
{
	fprintf(writer->out, " %" PRIu64 " %" PRIu64, tally->accesses[CACHE_LOAD],
		tally->accesses[CACHE_STORE]);
	for (unsigned i = 0; i < writer->depths.n; i++)
		for (unsigned kind = 0; kind < CACHE_KINDS; kind++)
			fprintf(writer->out, " %" PRIu64,
				tally->misses[writer->depths.all[i]][kind]);
}

static void put_sum(const struct writer *writer, const char *key)
{
	struct cache_tally all = { .accesses = { 0 } };

	fprintf(writer->out, "%s: %" PRIu64, key, writer->costs.insns);
	for (size_t i = 0; i < writer->costs.n; i++) {
		const struct cache_tally *tally =
			costs_tally(&writer->costs, &writer->costs.all[i]);

		if (tally)
			cache_tally_add(&all, tally);
	}
	if (writer->with_caches)
		put_tally(writer, &all);
	putc('\n', writer->out);
}

static void put_cost(struct writer *writer, const struct cost *cost)
{
	const struct costs_place *entry = &writer->costs.entries[cost->callee];
	const struct cache_tally *tally = costs_tally(&writer->costs, cost);

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
	fprintf(writer->out, " %" PRIu64, cost->insns);
	if (tally)
		put_tally(writer, tally);
	putc('\n', writer->out);
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

static void put_events(const struct writer *writer)
{
	static const char *const kinds[CACHE_KINDS] = { "Ir", "Dr", "Dw" };

	fputs("events: Ir", writer->out);
	if (writer->with_caches)
		fputs(" Dr Dw", writer->out);
	for (unsigned i = 0; writer->with_caches && i < writer->depths.n; i++)
		for (unsigned kind = 0; kind < CACHE_KINDS; kind++)
			fprintf(writer->out, " %c%cm%c", kinds[kind][0],
				writer->depths.names[i], kinds[kind][1]);
	putc('\n', writer->out);
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
	fputs("positions: instr line\nevent: Ir : Instructions executed\n", writer->out);
	put_events(writer);
	put_sum(writer, "summary");
}

/* What caches make of the run, if its accesses were recorded. */
static int gather_caches(struct writer *writer, struct wm_error *err)
{
	const struct calls_subject *subject = writer->subject;
	struct cache_spec spec;

	/* Accesses of native functions are of no instruction of a method. */
	if (!(trace_values_recorded(subject->trace) & VALUES_ALL) || subject->methods)
		return 0;
	cache_spec_init(&spec);
	writer->depths = cache_depths_of(&spec);
	writer->with_caches = true;
	return cache_profile_gather(&writer->caches, subject->trace, subject->selection,
				    &spec, 0, NULL, err);
}

static int write_all(FILE *out, struct calls_picture *picture, struct wm_error *err)
{
	struct writer writer = { .out = out, .subject = &picture->subject };
	int ret = gather_caches(&writer, err);

	if (!ret)
		ret = costs_gather(&writer.costs, &picture->subject, &writer.caches, err);
	/* Of methods alone addresses are not told. */
	if (!ret && !picture->subject.methods)
		ret = jumps_gather(&writer.jumps, &picture->subject, err);
	if (!ret)
		ret = entity_names_init(&writer.names, writer.costs.sites, err);
	if (!ret) {
		put_header(&writer);
		for (size_t i = 0; i < writer.costs.n;)
			i += put_function(&writer, &writer.costs.all[i],
					  writer.costs.n - i);
		putc('\n', out);
		put_sum(&writer, "totals");
	}
	if (!ret && writer.failed)
		ret = wm_fail_nomem(err, "names");
	entity_names_fini(&writer.names);
	interner_fini(&writer.files);
	interner_fini(&writer.modules);
	interner_fini(&writer.functions);
	jumps_fini(&writer.jumps);
	costs_fini(&writer.costs);
	cache_profile_fini(&writer.caches);
	return ret;
}

const struct calls_format calls_callgrind = {
	.format = { "callgrind", FORMAT_CALLS, "callgrind.out",
		    "for KCachegrind and callgrind_annotate" },
	.write = write_all,
};
