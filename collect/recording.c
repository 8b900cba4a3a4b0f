// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The life of the file: open under a temporary name, begun when a plugin reports, named
 * as soon as it is certain that it is kept, complete, closed. Whatever goes wrong is
 * noted in the output (collect/output.h); none of it stops the collecting.
 */
#include "collect/recording.h"

#include <string.h>

#include "base/clock.h"
#include "collect/budget.h"
#include "format/section.h"
#include "format/values.h"

/*
 * Events that the recorder needs whoever wants to see them: they decide whether the file
 * is kept, and which windows have opened.
 */
static uint64_t needed(const struct collector_facts *facts)
{
	return keep_kinds(&facts->keep) | UINT64_C(1) << WM_EVENT_WINDOW;
}

/* Of the file, as far as they are known before the first plugin is there. */
static uint32_t features_of(const struct collector_facts *facts)
{
	/* The space of a machine is not a process. */
	return FILE_WAYS | (facts->machine ? FILE_SPACES : 0) |
	       (facts->code_in_files ? FILE_CODE : 0);
}

int recording_init(struct recording *rec, struct board *board, const char *output,
		   const struct collector_facts *facts, struct wm_error *err)
{
	int ret;

	/* The first thing: no event of the recording may be earlier. */
	rec->begin_ns = clock_ns();
	rec->machine = facts->machine;
	rec->kernels = facts->kernels;
	rec->follows = facts->layout && facts->layout->knows;
	rec->features = features_of(facts);
	rec->files = facts->files;
	/* Ordinals of what --last drops are known at the end only. */
	rec->turns.wanted = facts->machine && !facts->last.bytes && !facts->last.insns;
	if (facts->layout)
		board->kernel = *facts->layout;
	mapped_init(&rec->mapped, facts->pack_bytes, !facts->no_pack);
	referred_init(&rec->referred, facts->code_in_files);
	generated_init(&rec->generated, !facts->no_pack && !facts->machine);
	keep_init(&rec->keep, &facts->keep);
	/* A file that may not be kept is not worth it. */
	if (rec->keep.wanted)
		mapped_read_ahead(&rec->mapped);
	chunks_init(&rec->chunks, &rec->out, &rec->defs, &facts->last,
		    budget_encoders(facts->memory_bytes, 0));
	rec->notes.newest = &rec->chunks.newest;
	rec->rings.bound = budget_rings(facts->memory_bytes);
	ret = steered_init(&rec->steered, facts->steering, &board->orders, rec->begin_ns,
			   err);
	if (!ret)
		ret = writer_open(&rec->out.writer, output, err);
	if (!ret)
		ret = writer_set_features(rec->out.writer, rec->features, err);
	if (!ret)
		ret = writer_keep_old(rec->out.writer, err);
	if (!ret)
		ret = eventlog_open(&rec->events, facts->events, needed(facts),
				    &board->orders.events, err);
	return ret;
}

void recording_fini(struct recording *rec)
{
	writer_abort(rec->out.writer);
	eventlog_close(&rec->events, NULL);
	chunks_fini(&rec->chunks);
	definitions_fini(&rec->defs);
	turns_fini(&rec->turns);
	notes_fini(&rec->notes);
	steered_fini(&rec->steered);
	mapped_fini(&rec->mapped);
	referred_fini(&rec->referred);
	kernels_vdso_fini(&rec->vdso);
	generated_fini(&rec->generated);
}

/* Loads of sites are fetches; what fires at most instructions would come between them. */
static uint32_t in_file(uint32_t wanted)
{
	uint32_t bits = wanted & VALUES_BITS & ~(uint32_t)VALUES_FETCHES;

	if (!(wanted & VALUES_SITES) || wanted & (VALUES_DATA | VALUES_WRITTEN))
		return bits;
	return bits | VALUES_FETCHES;
}

/*
 * Processes that record nothing beside the path may come first: with guides that wait for their
 * programs, the file is as without them until one comes.
 */
static void want_values(struct recording *rec)
{
	struct output *out = &rec->out;
	uint32_t wanted = in_file(rec->values);

	if (!definitions_want_values(&rec->defs, wanted, rec->width))
		output_cut(out, output_no_memory);
	if (wanted & VALUES_FETCHES &&
	    writer_add_features(out->writer, FILE_FETCHES, &out->fault))
		output_cut(out, out->fault.text);
	facts_values(out, rec->values);
}

/* The name is in memory that guests can write to. */
static bool is_name(const char *guide)
{
	return *guide && !guide[strspn(guide, "abcdefghijklmnopqrstuvwxyz0123456789-_")];
}

static void take_guide(struct recording *rec, const struct arena_header *header)
{
	char guide[GUIDE_NAME_BYTES] = "";

	memcpy(guide, header->guide, sizeof(guide) - 1);
	for (unsigned i = 0; i < rec->n_guides; i++)
		if (!strcmp(rec->guides[i], guide))
			return;
	if (!is_name(guide) || rec->n_guides == RECORDING_GUIDES)
		return;
	memcpy(rec->guides[rec->n_guides++], guide, sizeof(guide));
	output_fact(&rec->out, "guide", guide);
}

void recording_process(struct recording *rec, const struct arena_header *header)
{
	if (read_once(&header->values) && rec->values && !rec->defs.programs)
		want_values(rec);
	take_guide(rec, header);
}

void recording_begin(struct recording *rec, const struct collector_facts *facts,
		     const struct board *board, const struct arena_header *header)
{
	char isa[sizeof(header->isa) + 1] = "";

	memcpy(isa, header->isa, sizeof(header->isa));
	definitions_init(&rec->defs,
			 header->sizes_rule == SIZES_RISCV ? SIZES_RISCV : SIZES_LISTED);
	if (facts->code_in_files && !definitions_refer(&rec->defs, &rec->referred))
		output_cut(&rec->out, output_no_memory);
	rec->values = read_once(&board->values);
	/* Programs follow registers of RISC-V only; of other guests the width says no more. */
	rec->width = strcmp(isa, "riscv32") ? 64 : 32;
	facts_begin(&rec->out, eventlog_wanted(&rec->events), facts, board, header);
	eventlog_begin(&rec->events, isa);
	eventlog_tick(&rec->events, &rec->out);
}

void recording_publish(struct recording *rec)
{
	struct output *out = &rec->out;

	/*
	 * Named when the first chunk is about to be written: an empty recording leaves no
	 * file.
	 */
	if (out->sealed || out->fault.code || !rec->keep.wanted ||
	    !atomic_load(&rec->chunks.blocks))
		return;
	if (writer_publish(out->writer, &out->fault))
		output_cut(out, out->fault.text);
}

/*
 * Chunks are dropped only when everything else that takes room is in the file. The
 * section with how the recording ended is the last one.
 */
int recording_seal(struct recording *rec, const struct board *board, const char *until,
		   struct wm_error *err)
{
	struct output *out = &rec->out;
	struct wm_error fault = { 0 };

	/* Who stops it by hand wants it. */
	rec->keep.wanted |= until != NULL;
	/*
	 * All blocks, also those that no chunk contains: a window may have been open too
	 * briefly.
	 */
	definitions_put(&rec->defs, out);
	if (rec->keep.wanted) {
		mapped_put_names(&rec->mapped, &rec->defs, out);
		generated_put(&rec->generated, &rec->defs, out);
	}
	turns_put(&rec->turns, out);
	notes_put(&rec->notes, out);
	if (newest_finish(&rec->chunks.newest, out, rec->defs.insns_of, rec->defs.known,
			  rec->defs.programs, &fault))
		output_failed(out, &fault);
	steered_put(&rec->steered, out);
	eventlog_end(&rec->events, out);
	facts_end(rec, board, out, until);
	/* Sealed before it is named, so a file of that name is complete. */
	if (writer_seal(out->writer, &fault) || writer_publish(out->writer, &fault))
		output_failed(out, &fault);
	atomic_store(&rec->chunks.bytes, writer_bytes(out->writer));
	if (writer_finish(out->writer, &fault)) /* gone if it has no name */
		output_failed(out, &fault);
	out->writer = NULL;
	out->sealed = true;
	if (out->fault.code && err)
		*err = out->fault;
	return out->fault.code;
}

void recording_end(struct recording *rec, const struct board *board)
{
	struct output *out = &rec->out;
	struct wm_error fault;

	if (!rec->keep.wanted || !atomic_load(&rec->chunks.blocks))
		out->fault.code = 0; /* of a file that nobody wants */
	else if (!out->sealed)
		recording_seal(rec, board, NULL, NULL);
	if (eventlog_close(&rec->events, &fault))
		output_failed(out, &fault);
}
