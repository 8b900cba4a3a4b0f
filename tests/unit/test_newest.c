// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * collect/newest: whatever chunks of whatever streams come, the file under the name is sound
 * at every moment and has the end of each stream as far as it got, with its events and
 * what was left early; at the end that much of it as was asked for. What is missing is reported.
 * Notes stay, each at its place in what is left of the streams.
 */
#include "collect/newest.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "collect/notes.h"
#include "folder.h"
#include "format/blocks.h"
#include "format/reader.h"
#include "format/records.h"
#include "format/section.h"
#include "sample.h"
#include "trace/notes.h"

enum { STREAMS = 4, BLOCKS = 3000, MOST = 600000, EVENTS = 20000, CHUNKS = 160 };
enum { NOTES = 200 };

static const char *const path = "file";

/* What a stream executed, from its beginning. */
struct executed {
	uint32_t ids[MOST];
	uint16_t insns[MOST]; /* that began of each block */
	uint32_t n;
	uint64_t all_insns;
	struct {
		uint32_t at; /* before this block */
		uint64_t ns, pc;
	} events[EVENTS];
	uint32_t n_events;
};

static struct executed executed[STREAMS];
static struct {
	struct output out;
	struct newest newest;
	struct notes notes;
	struct note_place told[NOTES][STREAMS]; /* of each note, by stream: the run's */
	uint32_t n_told;
	struct blocks_writer blocks;
	struct encoders pool;
	struct stream *streams[STREAMS];
	uint16_t insns_of[BLOCKS + 1];
	uint32_t known;
	uint64_t seed, ns;
} rig;

static uint32_t any(uint32_t below)
{
	return sample_random(&rig.seed) % below;
}

/* ---- recording ----------------------------------------------------------- */

static void put(uint32_t type, struct buf *payload)
{
	output_put(&rig.out, type, payload, 3);
	buf_fini(payload);
}

static void put_stream(uint32_t index, const char *name)
{
	struct stream_record record = {
		.index = index, .vcpu = index, .tid = 100 + index, .name = (char *)name
	};
	struct buf payload = BUF_INIT;

	record.passed = newest_dropped(&rig.newest, index).insns;
	stream_put(&payload, &record);
	output_put(&rig.out, SECTION_STRM, &payload, 0);
	buf_fini(&payload);
}

static void begin(const struct newest_wish *wish, uint64_t seed, uint64_t least_bytes)
{
	struct space_record process = { 0, 1,	      SPACE_NONE, 1, (char *)"/bin/guest",
					0, SPACE_NONE };
	struct buf payload = BUF_INIT;
	struct stream_limits limits;

	memset(&rig, 0, sizeof(rig));
	for (unsigned i = 0; i < STREAMS; i++)
		executed[i].n = executed[i].all_insns = executed[i].n_events = 0;
	rig.seed = seed;
	assert_int_equal(writer_open(&rig.out.writer, path, NULL), 0);
	assert_int_equal(writer_publish(rig.out.writer, NULL), 0);
	newest_init(&rig.newest, wish);
	rig.newest.least_bytes = least_bytes;
	rig.notes.newest = &rig.newest;
	limits = newest_limits(&rig.newest);
	encoders_init(&rig.pool, SIZE_MAX, &limits);
	blocks_writer_init(&rig.blocks, SIZES_RISCV, 1);
	space_put(&payload, &process);
	put(SECTION_PROC, &payload);
	for (uint32_t i = 0; i < STREAMS; i++) {
		rig.streams[i] = stream_new(i, 0, &rig.pool);
		assert_non_null(rig.streams[i]);
		put_stream(i, "");
	}
}

static void define(uint32_t n)
{
	static uint8_t code[200];
	struct buf payload = BUF_INIT;

	for (; n > 0 && rig.known < BLOCKS; n--) {
		uint32_t insns = 1 + any(9);
		struct wm_block block = { 0x1000 + 64 * rig.known, insns, 2 * insns, NULL,
					  code };

		code[0] = (uint8_t)(4 * any(60) + 1);
		assert_true(blocks_writer_add(&rig.blocks, &block));
		rig.insns_of[++rig.known] = (uint16_t)insns;
	}
	if (!rig.blocks.count)
		return;
	blocks_writer_flush(&rig.blocks, &payload);
	put(SECTION_BLKS, &payload);
}

/* An event. */
static void happen(uint32_t index)
{
	struct executed *mine = &executed[index];
	struct event_record event = {
		.kind = WM_EVENT_SIGNAL, .n = 5, .fields = { 11, 0, 0, 0, 0 }, .text = ""
	};

	if (mine->n_events == EVENTS)
		return;
	rig.ns += 1 + any(1000);
	event.ns = event.fields[2] = rig.ns;
	stream_event(rig.streams[index], &event);
	mine->events[mine->n_events].at = mine->n;
	mine->events[mine->n_events].ns = rig.ns;
	mine->events[mine->n_events++].pc = rig.ns;
}

/* A note that has a place in every stream. Some wait for a while, as batches do. */
static void tell(void)
{
	static const uint8_t data[300]; /* it compresses */
	struct note_place *places = rig.told[rig.n_told];
	struct note note = { .places = places,
			     .n_places = STREAMS,
			     .kind = 99,
			     .data = data,
			     .bytes = any(sizeof(data)) };

	assert_true(rig.n_told++ < NOTES);
	for (uint32_t i = 0; i < STREAMS; i++)
		places[i] = (struct note_place){ i, executed[i].n };
	notes_add(&rig.notes, &note, &rig.out);
	if (!any(3))
		notes_put(&rig.notes, &rig.out);
}

/* As collect/lanes.c does it. */
static void flush(struct stream *stream)
{
	uint64_t blocks = stream->blocks, insns = stream->insns, sections;

	stream->dropped = newest_dropped(&rig.newest, stream->index);
	sections = writer_sections(rig.out.writer);
	assert_int_equal(
		stream_flush(stream, rig.out.writer, rig.insns_of, rig.known, NULL), 0);
	if (writer_sections(rig.out.writer) > sections)
		newest_chunk(&rig.newest, &rig.out, stream->index,
			     writer_sections(rig.out.writer) - sections,
			     stream->blocks - blocks, stream->insns - insns);
}

/* Of the block entered last only one instruction began. */
static void leave_early(struct executed *mine, struct stream *stream)
{
	struct chunk_partial partial = { stream_blocks(stream) - 1, stream->last_id, 1,
					 0 };
	uint32_t missing = rig.insns_of[stream->last_id] - 1u;

	if (!stream_blocks(stream) || !missing)
		return;
	partial_put(&stream->partials, &partial, &stream->next_partial);
	stream->missing_insns += missing;
	mine->insns[mine->n - 1] = 1;
}

/* Some n blocks, a chunk or more: something that repeats, something that does not. */
static void run(uint32_t index, uint32_t n)
{
	struct executed *mine = &executed[index];
	struct stream *stream = rig.streams[index];
	uint32_t base = 1 + any(rig.known), odd = 2 + any(50);

	assert_int_equal(stream_know(stream, rig.known), 0);
	for (uint32_t i = 0; i < n && mine->n < MOST; i++) {
		uint32_t id = any(odd) ? 1 + (base + i % 7) % rig.known :
					 1 + any(rig.known);

		mine->ids[mine->n] = id;
		mine->insns[mine->n++] = rig.insns_of[id];
		if (stream_full(stream))
			flush(stream);
		assert_int_equal(stream_feed(stream, &id, 1), 1);
		if (!any(50))
			leave_early(mine, stream);
		if (!any(500))
			happen(index);
	}
	flush(stream);
	mine->all_insns = stream->insns;
}

static void let_go(void)
{
	for (unsigned i = 0; i < STREAMS; i++)
		stream_free(rig.streams[i]);
	encoders_fini(&rig.pool);
	notes_fini(&rig.notes);
	newest_fini(&rig.newest);
	blocks_writer_fini(&rig.blocks);
}

static void end(void)
{
	struct buf payload = BUF_INIT;

	end_put(&payload, "");
	put(SECTION_ENDS, &payload);
	assert_int_equal(writer_finish(rig.out.writer, NULL), 0);
	rig.out.writer = NULL;
	assert_int_equal(rig.out.fault.code, 0);
	let_go();
}

/* ---- reading what there is ----------------------------------------------- */

/* How much the last record of the stream says was passed. */
static uint64_t told_passed(uint32_t index)
{
	struct buf payload = BUF_INIT;
	struct stream_record record;
	struct reader *reader;
	uint64_t passed = 0;

	assert_int_equal(reader_open(&reader, path, NULL), 0);
	for (size_t i = 0; i < reader_sections(reader); i++) {
		const struct section *section = reader_section(reader, i);
		struct span span;

		if (section->type != SECTION_STRM)
			continue;
		assert_int_equal(reader_read(reader, section, &payload, NULL), 0);
		span = span_of(payload.data, payload.len);
		assert_true(stream_get(&span, &record));
		if (record.index == index)
			passed = record.passed;
		free(record.name);
	}
	reader_close(reader);
	buf_fini(&payload);
	return passed;
}

static void check_events(const struct wm_trace *trace, uint32_t index, uint32_t from)
{
	const struct executed *mine = &executed[index];
	struct wm_cursor *cursor;
	struct wm_event event;
	uint32_t i = 0;

	/* What happened right before the first block may be in the chunk before. */
	while (i < mine->n_events && mine->events[i].at < from)
		i++;
	assert_int_equal(wm_cursor_new(&cursor, trace, index, NULL), 0);
	while (wm_cursor_next_event(cursor, &event, NULL) == 0) {
		while (from && mine->events[i].at == from &&
		       mine->events[i].ns != event.ns)
			i++;
		assert_int_equal(event.kind, WM_EVENT_SIGNAL);
		assert_int_equal(event.block_ordinal + from, mine->events[i].at);
		assert_int_equal(event.ns, mine->events[i].ns);
		assert_int_equal(event.fields[2], mine->events[i].pc);
		i++;
	}
	while (from && i < mine->n_events && mine->events[i].at == from)
		i++;
	assert_int_equal(i, mine->n_events);
	wm_cursor_free(cursor);
}

/* The stream's blocks are its last ones; returns how many instructions they have. */
static uint64_t check_stream(const struct wm_trace *trace, uint32_t index)
{
	const struct executed *mine = &executed[index];
	struct wm_cursor *cursor;
	struct wm_stream stream;
	struct wm_step step;
	uint64_t insns = 0;
	uint32_t from, i;

	assert_int_equal(wm_trace_stream(trace, index, &stream), 0);
	assert_true(stream.blocks <= mine->n);
	from = i = mine->n - (uint32_t)stream.blocks;
	assert_int_equal(wm_cursor_new(&cursor, trace, index, NULL), 0);
	for (; wm_cursor_next_block(cursor, &step, NULL) == 0; i++) {
		assert_int_equal(step.id, mine->ids[i]);
		assert_int_equal(step.insns, mine->insns[i]);
		assert_int_equal(step.insn_ordinal, insns);
		insns += step.insns;
	}
	assert_int_equal(i, mine->n);
	assert_int_equal(insns, stream.insns);
	assert_int_equal(told_passed(index), mine->all_insns - insns);
	wm_cursor_free(cursor);
	check_events(trace, index, from);
	return insns;
}

/* Returns how many notes there are. */
static uint32_t check_notes(const struct wm_trace *trace)
{
	struct notes_trace notes;
	struct note_moment *at;
	size_t n;

	assert_int_equal(notes_trace_read(&notes, trace, NULL), 0);
	for (uint32_t i = 0; i < STREAMS; i++) {
		struct wm_stream stream;
		uint64_t dropped, block;

		assert_int_equal(wm_trace_stream(trace, i, &stream), 0);
		dropped = executed[i].n - stream.blocks;
		assert_int_equal(notes_trace_stream(&notes, i, &at, &n, NULL), 0);
		assert_int_equal(n, notes.n);
		for (size_t k = 0; k < n; k++) {
			block = rig.told[k][i].block;
			assert_int_equal(at[k].note, k);
			assert_true(at[k].block ==
				    (block > dropped ? block - dropped : 0));
		}
		free(at);
	}
	n = notes.n;
	notes_trace_fini(&notes);
	return (uint32_t)n;
}

static void check_file(uint64_t insns[STREAMS])
{
	struct wm_check check = { .threads = 1 };
	struct wm_trace *trace;
	struct wm_error err = { 0 };

	assert_int_equal(wm_trace_open(&trace, path, &err), 0);
	if (wm_trace_verify(trace, &check, &err))
		assert_non_null(strstr(err.text, "cut short"));
	for (uint32_t i = 0; i < STREAMS; i++)
		insns[i] = check_stream(trace, i);
	assert_true(check_notes(trace) <= rig.n_told);
	wm_trace_close(trace);
}

static uint64_t file_bytes(void)
{
	struct stat st;

	assert_int_equal(stat(path, &st), 0);
	return (uint64_t)st.st_size;
}

/* ---- selecting a part ---------------------------------------------------- */

/* Chunks of any length of any stream, the file read after some. */
static void record(const struct newest_wish *wish, uint64_t seed, uint64_t least_bytes)
{
	uint64_t insns[STREAMS];

	begin(wish, seed, least_bytes);
	define(20);
	for (unsigned i = 0; i < CHUNKS; i++) {
		if (!any(4))
			define(any(40));
		if (!any(20))
			put_stream(any(STREAMS), "named");
		if (!any(3))
			tell();
		run(any(STREAMS), any(3) ? any(5000) : any(3));
		if (!any(20))
			check_file(insns);
	}
}

static void finish(uint64_t insns[STREAMS])
{
	notes_put(&rig.notes, &rig.out);
	assert_int_equal(newest_finish(&rig.newest, &rig.out, rig.insns_of, rig.known,
				       NULL, NULL),
			 0);
	end();
	check_file(insns);
	assert_int_equal(folder_files(), 1);
	unlink(path);
}

static void test_insns(void **state)
{
	static const uint64_t wishes[] = { 1, 2, 100, 5000, 50000, 300000, 1u << 30 };
	uint64_t insns[STREAMS];

	(void)state;
	for (unsigned i = 0; i < sizeof(wishes) / sizeof(*wishes); i++) {
		struct newest_wish wish = { .insns = wishes[i] };

		for (uint64_t seed = 1; seed < 3; seed++) {
			record(&wish, seed * 77 + i, 1 + 20000 * (seed == 2));
			if (wish.insns < 5000)
				assert_true(rig.newest.compactions > 2);
			finish(insns);
			/* As many as asked for, and at most a block more: 9. */
			for (unsigned k = 0; k < STREAMS; k++)
				assert_true(insns[k] == executed[k].all_insns ||
					    (insns[k] >= wish.insns &&
					     insns[k] < wish.insns + 9));
		}
	}
}

static void test_bytes(void **state)
{
	static const uint64_t wishes[] = { 1, 20000, 40000, 60000, 1u << 30 };
	uint64_t insns[STREAMS];

	(void)state;
	for (unsigned i = 0; i < sizeof(wishes) / sizeof(*wishes); i++) {
		struct newest_wish wish = { .bytes = wishes[i] };

		for (uint64_t seed = 1; seed < 3; seed++) {
			uint64_t bytes;

			record(&wish, seed * 99 + i, 1 + 20000 * (seed == 2));
			assert_int_equal(newest_finish(&rig.newest, &rig.out,
						       rig.insns_of, rig.known, NULL,
						       NULL),
					 0);
			end();
			check_file(insns);
			bytes = file_bytes();
			/* For the smallest of them the newest chunk alone is too much. */
			assert_true(i == 0 || bytes <= wishes[i]);
			assert_true(i == 0 || i == 4 || bytes > wishes[i] / 2);
			assert_true(i == 4 || rig.newest.compactions > 1);
			assert_int_equal(folder_files(), 1);
			unlink(path);
		}
	}
}

/* Without a wish nothing is done. */
static void test_all(void **state)
{
	uint64_t insns[STREAMS];

	(void)state;
	record(&(struct newest_wish){ 0, 0 }, 5, 1);
	finish(insns);
	assert_int_equal(rig.newest.compactions, 0);
	for (unsigned i = 0; i < STREAMS; i++)
		assert_int_equal(insns[i], executed[i].all_insns);
}

/* A file that has no name yet gets none by being compacted. */
static void test_unpublished(void **state)
{
	(void)state;
	begin(&(struct newest_wish){ .insns = 1000 }, 6, 1);
	writer_abort(rig.out.writer);
	unlink(path);
	assert_int_equal(writer_open(&rig.out.writer, path, NULL), 0);
	sample_save(path, (const uint8_t *)"old", 3);
	define(500);
	for (uint32_t i = 0; i < STREAMS; i++)
		put_stream(i, "");
	for (unsigned i = 0; i < CHUNKS; i++)
		run(any(STREAMS), any(3000));
	assert_true(rig.newest.compactions > 2);
	assert_int_equal(file_bytes(), 3);
	assert_int_equal(newest_finish(&rig.newest, &rig.out, rig.insns_of, rig.known,
				       NULL, NULL),
			 0);
	assert_int_equal(file_bytes(), 3);
	writer_abort(rig.out.writer);
	assert_int_equal(folder_files(), 1);
	let_go();
	unlink(path);
}

/* ---- what goes wrong ----------------------------------------------------- */

/* How many files may be opened from now on: none, or as many as ever. */
static void let_open(bool some)
{
	static struct rlimit usual;
	struct rlimit none;

	if (!usual.rlim_max)
		assert_int_equal(getrlimit(RLIMIT_NOFILE, &usual), 0);
	none = (struct rlimit){ 1, usual.rlim_max };
	assert_int_equal(setrlimit(RLIMIT_NOFILE, some ? &usual : &none), 0);
}

/* For a while no other file can be made: the first one goes on, and is compacted later. */
static void test_no_room(void **state)
{
	uint64_t insns[STREAMS];
	unsigned before = 0;

	(void)state;
	begin(&(struct newest_wish){ .insns = 5000 }, 7, 1);
	define(500);
	for (unsigned i = 0; i < CHUNKS; i++) {
		bool may = i / 20 % 2;

		let_open(may);
		run(any(STREAMS), any(3000));
		let_open(true);
		assert_true(may || rig.newest.compactions == before);
		before = rig.newest.compactions;
		if (i % 10 == 5)
			check_file(insns);
	}
	assert_true(before > 2);
	let_open(false);
	assert_int_equal(newest_finish(&rig.newest, &rig.out, rig.insns_of, rig.known,
				       NULL, NULL),
			 WM_E_OUTPUT);
	let_open(true);
	end();
	check_file(insns);
	unlink(path);
}

/* While it is being copied the disk is full: the copy goes, what is recorded has its room. */
static void test_full(void **state)
{
	struct rlimit limit = { 0, RLIM_INFINITY };
	struct buf payload = BUF_INIT;
	struct writer *writer, *beside;
	struct wm_error err = { 0 };

	(void)state;
	signal(SIGXFSZ, SIG_IGN);
	buf_put_u64(&payload, 1);
	assert_int_equal(writer_open(&writer, path, NULL), 0);
	assert_int_equal(writer_publish(writer, NULL), 0);
	assert_int_equal(writer_open_beside(&beside, writer, NULL), 0);
	assert_int_equal(writer_put(beside, SECTION_META, &payload, 0, NULL, NULL), 0);
	limit.rlim_cur = writer_bytes(writer);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
	assert_int_equal(writer_put(writer, SECTION_META, &payload, 0, NULL, NULL),
			 WM_E_OUTPUT);
	limit.rlim_cur = RLIM_INFINITY;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
	assert_int_equal(writer_put(beside, SECTION_META, &payload, 0, NULL, &err),
			 WM_E_OUTPUT);
	assert_non_null(strstr(err.text, "cannot write"));
	writer_abandon(writer, beside);
	writer_abort(writer);
	assert_int_equal(folder_files(), 1);
	assert_int_equal(file_bytes(), FILE_HEADER_BYTES);
	unlink(path);
	buf_fini(&payload);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_insns),	cmocka_unit_test(test_bytes),
	cmocka_unit_test(test_all),	cmocka_unit_test(test_unpublished),
	cmocka_unit_test(test_no_room), cmocka_unit_test(test_full),
};

int main(void)
{
	return cmocka_run_group_tests_name("newest", tests, folder_enter, folder_leave);
}
