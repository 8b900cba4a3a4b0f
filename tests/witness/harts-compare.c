// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Compares a trace of a whole machine with what the witness saw (harts.h), by the library's
 * public functions alone.
 *
 * usage: harts-compare TRACE SEEN [killed]
 *
 * Where streams are a guest's threads, the schedule says what each hart ran of them; else a
 * stream is a hart. Of each hart all instructions, and accesses to memory where they were
 * recorded, must be the same, and none uncertain. When
 * QEMU was killed, one side may have seen a block or two that the other has not.
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harts.h"
#include "waymark.h"

enum { RECENT = 4 };

/* The sums before each of the last blocks, and what is uncertain of the last one. */
struct hart {
	struct harts_sum before[RECENT], now;
	struct harts_sum accesses_before[RECENT], accesses;
	struct harts_sum written;
	uint64_t registers[64], watched; /* see struct harts_seen */
	uint64_t blocks;
	uint32_t uncertain;
};

static void die(const char *what, const char *why)
{
	fprintf(stderr, "harts-compare: %s: %s\n", what, why);
	exit(2);
}

static void enter(struct hart *hart, const struct wm_trace *trace,
		  const struct wm_step *step)
{
	struct wm_block block;
	uint64_t address;

	if (wm_trace_block(trace, step->id, &block))
		die("block", "is not there");
	hart->accesses_before[hart->blocks % RECENT] = hart->accesses;
	hart->before[hart->blocks++ % RECENT] = hart->now;
	hart->uncertain = step->uncertain;
	address = block.address;
	for (uint32_t i = 0; i < step->insns; address += block.sizes[i++])
		harts_add(&hart->now, address);
}

static uint64_t address_of(const struct wm_block *block, uint32_t insn)
{
	uint64_t address = block->address;

	for (uint32_t i = 0; i < insn; i++)
		address += block->sizes[i];
	return address;
}

/* The witness sees a register that gets another value, and of those that it knows. */
static void write_register(struct hart *hart, uint64_t pc, const struct wm_access *access)
{
	uint64_t *now = &hart->registers[access->address % 64];

	if (access->address >= 64 || !(hart->watched >> access->address & 1) ||
	    *now == access->data[0])
		return;
	*now = access->data[0];
	harts_add_access(&hart->written, pc, access->address, 0, false, access->data);
}

/* What the block's instructions accessed, if that was recorded. */
static void read_accesses(struct hart *hart, const struct wm_trace *trace,
			  struct wm_cursor *cursor, const struct wm_step *step)
{
	const struct wm_access *accesses;
	struct wm_block block;
	struct wm_error err;
	size_t n = 0;
	int ret = step->insns ? wm_cursor_accesses(cursor, &accesses, &n, &err) : WM_END;

	if (ret < 0)
		die("accesses", err.text);
	if (ret == WM_END || !n)
		return;
	wm_trace_block(trace, step->id, &block);
	for (size_t i = 0; i < n; i++) {
		bool is_register = accesses[i].kind == WM_ACCESS_REGISTER ||
				   accesses[i].kind == WM_ACCESS_RETURNED;
		uint64_t pc = address_of(&block, accesses[i].insn);

		/* A register has the same name on both sides, but not the same number. */
		if (accesses[i].kind == WM_ACCESS_WRITTEN)
			write_register(hart, pc, &accesses[i]);
		else if (accesses[i].kind <= WM_ACCESS_RETURNED)
			harts_add_access(&hart->accesses, pc,
					 is_register ? 0 : accesses[i].address,
					 is_register ? 0 : accesses[i].size,
					 accesses[i].kind == WM_ACCESS_STORE,
					 accesses[i].data);
	}
}

/* A stream as far as it was read. */
struct reading {
	struct wm_cursor *cursor;
	struct wm_turn turn; /* the one that it is in */
	uint64_t at, blocks;
};

/* The hart of the stream's turn has run it up to block `end`. */
static void read_until(struct reading *reading, struct hart *harts,
		       const struct wm_trace *trace, uint64_t end)
{
	struct wm_step step;
	struct wm_error err;

	for (; reading->at < end; reading->at++) {
		if (wm_cursor_next_block(reading->cursor, &step, &err))
			die("stream", err.text);
		enter(&harts[reading->turn.hart], trace, &step);
		read_accesses(&harts[reading->turn.hart], trace, reading->cursor, &step);
	}
}

/* All streams of the trace, at their beginning; *n of them. */
static struct reading *open_streams(const struct wm_trace *trace, unsigned *n)
{
	struct reading *streams;
	struct wm_summary summary;
	struct wm_stream stream;
	struct wm_error err;

	wm_trace_summary(trace, &summary);
	*n = summary.streams;
	streams = calloc(*n + 1ul, sizeof(*streams));
	for (unsigned i = 0; i < *n; i++) {
		if (wm_trace_stream(trace, i, &stream) ||
		    wm_cursor_new(&streams[i].cursor, trace, i, &err))
			die("stream", "cannot be read");
		streams[i].blocks = stream.blocks;
		streams[i].turn.hart = stream.vcpu;
	}
	return streams;
}

/* All turns of the trace, *n of them. */
static struct wm_turn *read_turns(const struct wm_trace *trace, size_t *n)
{
	struct wm_turn *turns = NULL;
	struct wm_schedule *schedule;
	struct wm_error err;
	size_t room = 0;
	int ret;

	if (wm_schedule_new(&schedule, trace, &err))
		die("schedule", err.text);
	for (*n = 0;; ++*n) {
		if (*n == room)
			turns = realloc(turns, (room = 2 * room + 64) * sizeof(*turns));
		ret = wm_schedule_next(schedule, &turns[*n], &err);
		if (ret)
			break;
	}
	if (ret < 0)
		die("schedule", err.text);
	wm_schedule_free(schedule);
	return turns;
}

/* A turn ends where the next one of its stream begins: ends[n], then one of each stream. */
static uint64_t *find_ends(const struct wm_turn *turns, size_t n,
			   const struct reading *streams, unsigned n_streams)
{
	uint64_t *ends = malloc((n_streams + n + 1) * sizeof(*ends));

	for (unsigned i = 0; i < n_streams; i++)
		ends[n + i] = streams[i].blocks;
	for (size_t i = n; i-- > 0;) {
		ends[i] = ends[n + turns[i].stream];
		ends[n + turns[i].stream] = turns[i].block_ordinal;
	}
	return ends;
}

static void read_harts(struct hart *harts, const struct wm_trace *trace)
{
	unsigned n_streams;
	struct reading *streams = open_streams(trace, &n_streams);
	size_t n;
	struct wm_turn *turns = read_turns(trace, &n);
	uint64_t *ends = find_ends(turns, n, streams, n_streams);

	for (size_t i = 0; i < n; i++) {
		streams[turns[i].stream].turn = turns[i];
		read_until(&streams[turns[i].stream], harts, trace, ends[i]);
	}
	/* Without turns all of a stream. */
	for (unsigned i = 0; i < n_streams; i++) {
		read_until(&streams[i], harts, trace, streams[i].blocks);
		wm_cursor_free(streams[i].cursor);
	}
	free(turns);
	free(ends);
	free(streams);
}

static bool is_same(const struct harts_sum *a, const struct harts_sum *b)
{
	return a->insns == b->insns && a->hash == b->hash;
}

static bool agree(const struct hart *hart, const struct harts_seen *seen, bool killed)
{
	if (killed) {
		for (unsigned i = 0; i < RECENT; i++)
			if (is_same(&hart->before[i], &seen->before) &&
			    is_same(&hart->accesses_before[i], &seen->accesses_before))
				return true;
		return is_same(&hart->now, &seen->before) &&
		       is_same(&hart->accesses, &seen->accesses_before);
	}
	return hart->blocks && is_same(&hart->now, &seen->now) && !hart->uncertain &&
	       is_same(&hart->accesses, &seen->accesses) &&
	       is_same(&hart->written, &seen->written);
}

int main(int argc, char **argv)
{
	static struct harts_seen seen[HARTS_MAX];
	bool killed = argc == 4 && !strcmp(argv[3], "killed"), good = true;
	struct wm_trace *trace;
	struct wm_error err;
	struct hart *harts = calloc(HARTS_MAX, sizeof(*harts));
	FILE *file;

	if (argc != 3 && !killed)
		die("usage", "harts-compare TRACE SEEN [killed]");
	file = fopen(argv[2], "rb");
	if (!file || fread(seen, sizeof(seen), 1, file) != 1)
		die(argv[2], "cannot be read");
	fclose(file);
	for (unsigned i = 0; i < HARTS_MAX; i++) {
		memcpy(harts[i].registers, seen[i].registers, sizeof(seen[i].registers));
		harts[i].watched = seen[i].watched;
	}
	if (wm_trace_open(&trace, argv[1], &err))
		die(argv[1], err.text);
	read_harts(harts, trace);
	for (unsigned i = 0; i < HARTS_MAX; i++) {
		const struct hart *hart = &harts[i];
		bool same = agree(hart, &seen[i], killed) ||
			    (!hart->blocks && !seen[i].now.insns);

		if (hart->blocks || seen[i].now.insns)
			printf("hart %u: %" PRIu64 " instructions, %" PRIu64
			       " seen; %" PRIu64 " accesses, %" PRIu64 " seen; %" PRIu64
			       " writes, %" PRIu64 " seen: %s\n",
			       i, hart->now.insns, seen[i].now.insns,
			       hart->accesses.insns / 5, seen[i].accesses.insns / 5,
			       hart->written.insns / 5, seen[i].written.insns / 5,
			       same ? "equal" : "DIFFERENT");
		good = good && same;
	}
	free(harts);
	wm_trace_close(trace);
	return !good;
}
