// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * trace/salvage: whatever is done to a file, the one made of it is complete and sound, all
 * that it serves is at its ordinal what was recorded, and what is missing is said. One
 * damaged section costs no more than it has to.
 */
#include "trace/salvage.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "sample.h"
#include "trace/recover.h"

enum { STREAMS = 2 };

static const char *const path = "salvage.wmk", *const copy_path = "salvage.copy.wmk";

/* What ran in each stream, as it is written. */
static struct sample_sequence written[STREAMS];
static uint64_t written_blocks;
static uint8_t *file;
static size_t file_bytes;

static void write_chunk(struct sample *sample, uint32_t stream, size_t n, uint64_t *seed)
{
	written_blocks += n;
	sample_ran(sample, stream, n, seed, &written[stream]);
}

/* Two streams, five chunks, blocks that come later, a text, a section nobody knows. */
static void write_file(bool torn)
{
	static const char text[] = "\2\1\0\3nop";
	struct sample sample;
	uint64_t seed = 1;

	memset(written, 0, sizeof(written));
	written_blocks = 0;
	sample_open(&sample, path);
	sample_stream(&sample);
	for (uint32_t i = 0; i < 5; i++)
		sample_block(&sample, 0x10000 + 32 * i, 1 + i);
	sample_flush(&sample);
	sample_put(&sample, SECTION_DISA, text, sizeof(text) - 1);
	write_chunk(&sample, 0, 50, &seed);
	sample_stream(&sample);
	sample_put(&sample, SECTION_TYPE('N', 'E', 'W', '!'), "who knows", 9);
	write_chunk(&sample, 1, 40, &seed);
	for (uint32_t i = 0; i < 30; i++)
		sample_block(&sample, 0x20000 + 32 * i, 3);
	sample_event(&sample, 3, 99, "\1event");
	write_chunk(&sample, 1, 70, &seed);
	write_chunk(&sample, 0, 90, &seed);
	write_chunk(&sample, 1, 0, &seed);
	write_chunk(&sample, 1, 10, &seed);
	sample_close(&sample, torn);
	free(file);
	file = sample_load(path, &file_bytes);
}

/* ---- what is made of a file ---------------------------------------------- */

/* How much of a file came back. */
struct outcome {
	bool opened, whole;
	uint64_t kept, lost; /* blocks */
	size_t places, losses;
};

/* A chunk that is not lost has what ran there. */
static void check_chunk(const struct wm_trace *trace, struct wm_cursor *cursor,
			const struct wm_chunk *chunk)
{
	const struct sample_sequence *mine = &written[chunk->stream];
	struct wm_block block;
	struct wm_step step;
	int ret;

	assert_true(chunk->first_block + chunk->blocks <= mine->n);
	if (!chunk->blocks) /* its ordinal is the next one's */
		return;
	ret = wm_cursor_seek_block(cursor, chunk->first_block, NULL);
	if (chunk->lost) { /* before it is after the chunk before it, which may be there */
		if (!ret)
			ret = wm_cursor_next_block(cursor, &step, NULL);
		assert_int_equal(ret, WM_E_DAMAGED);
		return;
	}
	assert_int_equal(ret, 0);
	for (uint64_t i = 0; i < chunk->blocks; i++) {
		assert_int_equal(wm_cursor_next_block(cursor, &step, NULL), 0);
		assert_int_equal(step.block_ordinal, chunk->first_block + i);
		assert_int_equal(wm_trace_block(trace, step.id, &block), 0);
		assert_int_equal(block.address, mine->addresses[step.block_ordinal]);
	}
}

/* All chunks of a stream. */
static void check_stream(const struct wm_trace *trace, unsigned stream,
			 struct outcome *outcome)
{
	struct wm_cursor *cursor;
	struct wm_chunk chunk;

	if (wm_cursor_new(&cursor, trace, stream, NULL))
		return;
	for (uint64_t i = 0; !wm_trace_chunk(trace, i, &chunk); i++) {
		if (chunk.stream != stream)
			continue;
		check_chunk(trace, cursor, &chunk);
		*(chunk.lost ? &outcome->lost : &outcome->kept) += chunk.blocks;
	}
	wm_cursor_free(cursor);
}

static void check_copy(const struct salvage *salvage, struct outcome *outcome)
{
	struct wm_check check = { .threads = 1 };
	struct wm_error err = { 0 };
	struct wm_summary summary;
	struct wm_trace *trace;
	uint64_t said = 0;

	if (wm_trace_open(&trace, copy_path, &err) ||
	    wm_trace_verify(trace, &check, &err))
		fail_msg("what was recovered: %s", err.text);
	wm_trace_summary(trace, &summary);
	assert_int_equal(summary.damage_off, 0);
	assert_true(summary.streams <= STREAMS);
	for (unsigned i = 0; i < STREAMS; i++)
		check_stream(trace, i, outcome);
	assert_int_equal(outcome->kept, check.blocks);
	assert_int_equal(outcome->kept, salvage->kept.blocks);
	for (size_t i = 0; i < salvage->loss_count; i++)
		said += salvage->losses[i].blocks;
	assert_int_equal(outcome->lost, said);
	if (summary.complete)
		assert_int_equal(outcome->kept, written_blocks);
	if (salvage->place_count) {
		assert_false(summary.complete);
		assert_non_null(wm_trace_meta(trace, "lost"));
	}
	wm_trace_close(trace);
}

static int write_copy(struct salvage *salvage, struct wm_error *err)
{
	struct writer *writer;
	int ret = writer_open(&writer, copy_path, err);

	assert_int_equal(ret, 0);
	assert_int_equal(salvage_write(salvage, writer, false, err), 0);
	assert_int_equal(writer_publish(writer, err), 0);
	return writer_finish(writer, err);
}

/* What was recovered has nothing more to recover. */
static void check_again(void)
{
	struct salvage *salvage;
	size_t bytes;
	uint8_t *data = sample_load(copy_path, &bytes);

	assert_int_equal(salvage_open_memory(&salvage, data, bytes, NULL), 0);
	assert_true(salvage_is_whole(salvage));
	salvage_close(salvage);
	free(data);
}

static struct outcome recover(const uint8_t *data, size_t bytes)
{
	struct outcome outcome = { 0 };
	struct salvage *salvage;
	struct wm_error err = { 0 };
	char text[200];

	if (salvage_open_memory(&salvage, data, bytes, &err)) {
		assert_true(err.code == WM_E_DAMAGED || err.code == WM_E_FORMAT);
		return outcome;
	}
	outcome.opened = true;
	outcome.whole = salvage_is_whole(salvage);
	outcome.places = salvage->place_count;
	outcome.losses = salvage->loss_count;
	for (size_t i = 0; i < salvage->place_count; i++) {
		salvage_describe_place(salvage, i, text, sizeof(text));
		assert_true(strlen(text) < sizeof(text) - 1);
		assert_true(!i || salvage->places[i - 1].section.off <
					  salvage->places[i].section.off);
	}
	assert_int_equal(write_copy(salvage, &err), 0);
	check_copy(salvage, &outcome);
	salvage_close(salvage);
	if (bytes % 8 == 0)
		check_again();
	return outcome;
}

/* ---- damage -------------------------------------------------------------- */

static void test_intact(void **state)
{
	struct outcome outcome;
	struct stat st;

	(void)state;
	write_file(false);
	outcome = recover(file, file_bytes);
	assert_true(outcome.opened && outcome.whole);
	assert_int_equal(outcome.kept, written_blocks);
	assert_int_equal(stat(copy_path, &st), 0);
	assert_int_equal((size_t)st.st_size, file_bytes);
}

/* Every prefix; the longer, the more there is. */
static void test_cut(void **state)
{
	uint64_t kept = 0;

	(void)state;
	write_file(false);
	for (size_t bytes = 0; bytes < file_bytes; bytes++) {
		uint8_t *prefix = malloc(bytes + !bytes);
		struct outcome outcome;

		assert_non_null(prefix);
		memcpy(prefix, file, bytes);
		outcome = recover(prefix, bytes);
		assert_true(outcome.places <= 1 && !outcome.losses && !outcome.whole);
		assert_true(outcome.kept >= kept);
		kept = outcome.kept;
		free(prefix);
	}
	assert_int_equal(kept, written_blocks);
}

/* A torn file is finished; a chunk without its head is nothing. */
static void test_torn(void **state)
{
	struct outcome outcome;

	(void)state;
	write_file(true);
	outcome = recover(file, file_bytes);
	assert_true(outcome.opened && !outcome.whole && !outcome.places);
	assert_int_equal(outcome.kept, written_blocks);
}

/* Every byte changed: one section is lost, and at most what depends on it. */
static void flip_all(bool torn, size_t step)
{
	write_file(torn);
	for (size_t i = 0; i < file_bytes; i += step) {
		struct outcome outcome;

		file[i] ^= (uint8_t)(1 << i % 8);
		outcome = recover(file, file_bytes);
		file[i] ^= (uint8_t)(1 << i % 8);
		assert_true(outcome.opened && !outcome.whole);
		assert_true(outcome.places <= 1);
		/* All but the end of a stream is accounted for. */
		assert_true(outcome.kept + outcome.lost + 90 >= written_blocks);
		if (!outcome.places)
			assert_int_equal(outcome.kept, written_blocks);
	}
}

static void test_flips(void **state)
{
	(void)state;
	flip_all(false, 2);
}

/* Without a table of contents to help. */
static void test_flips_torn(void **state)
{
	(void)state;
	flip_all(true, 5);
}

static void spoil(uint8_t *data, size_t *bytes, uint64_t *seed)
{
	size_t at = sample_random(seed) % *bytes;
	size_t n = 1 + sample_random(seed) % (sample_random(seed) % 2 ? 8 : 400);

	if (n > *bytes - at)
		n = *bytes - at;
	switch (sample_random(seed) % 5) {
	case 0:
		memset(data + at, 0, n);
		break;
	case 1: /* a piece is missing */
		memmove(data + at, data + at + n, *bytes - at - n);
		*bytes -= n;
		break;
	case 2: /* a piece is of somewhere else */
		memmove(data + at, data + sample_random(seed) % (*bytes - n + 1), n);
		break;
	case 3:
		for (size_t i = 0; i < n; i++)
			data[at + i] = (uint8_t)sample_random(seed);
		break;
	case 4:
		*bytes -= sample_random(seed) % 4 ? 0 : *bytes / 16;
		break;
	}
}

/* Much of it at once. */
static void test_ruins(void **state)
{
	uint64_t seed = 7;

	(void)state;
	write_file(false);
	for (unsigned i = 0; i < 400; i++) {
		uint8_t *ruin = malloc(file_bytes);
		size_t bytes = file_bytes;

		assert_non_null(ruin);
		memcpy(ruin, file, file_bytes);
		for (unsigned n = 1 + i % 4; n > 0 && bytes; n--)
			spoil(ruin, &bytes, &seed);
		recover(ruin, bytes);
		free(ruin);
	}
}

/* ---- sections that are sound but wrong ----------------------------------- */

static void other_first_block(struct chunk_head *head)
{
	head->first_block++;
}

static void far_first_block(struct chunk_head *head)
{
	head->first_block += UINT64_C(1) << 60;
}

static void more_known(struct chunk_head *head)
{
	head->known++;
}

static void far_stream(struct chunk_head *head)
{
	head->stream = UINT32_MAX;
}

static void more_insns(struct chunk_head *head)
{
	head->insns++;
}

static void no_path(struct chunk_head *head)
{
	head->path_off = FILE_HEADER_BYTES;
}

static void other_path(struct chunk_head *head)
{
	head->path_off += UINT64_C(1) << 40;
}

static void (*const lies[])(struct chunk_head *head) = {
	other_first_block, far_first_block, more_known, far_stream,
	more_insns,	   no_path,	    other_path,
};

static void test_lies(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(lies) / sizeof(*lies); i++) {
		struct outcome outcome;
		struct sample sample;
		uint64_t seed = 3;

		memset(written, 0, sizeof(written));
		written_blocks = 0;
		sample_open(&sample, path);
		for (uint32_t id = 0; id < 5; id++)
			sample_block(&sample, 0x10000 + 32 * id, 1 + id);
		sample_stream(&sample);
		write_chunk(&sample, 0, 30, &seed);
		sample.spoil_head = lies[i];
		write_chunk(&sample, 0, 20, &seed);
		sample.spoil_head = NULL;
		write_chunk(&sample, 0, 10, &seed);
		sample_close(&sample, false);
		free(file);
		file = sample_load(path, &file_bytes);
		outcome = recover(file, file_bytes);
		assert_true(outcome.opened && !outcome.whole && outcome.places);
		assert_int_equal(outcome.lost, 20);
		/* With too many instructions, the next chunk contradicts this one. */
		assert_int_equal(outcome.kept, lies[i] == more_insns ? 30 : 40);
	}
}

/* ---- in place ------------------------------------------------------------ */

/* A file that was recovered before, and lost its end then. */
static void check_twice(void)
{
	struct salvage *salvage;
	struct wm_trace *trace;
	struct wm_error err;
	size_t bytes, copy_bytes;
	uint8_t *copy;

	write_file(false);
	file[file_bytes / 2] ^= 1;
	sample_save(path, file, file_bytes);
	assert_int_equal(trace_recover(&salvage, path, copy_path, &err), 0);
	assert_true(salvage->loss_count > 0);
	salvage_close(salvage);
	copy = sample_load(copy_path, &copy_bytes);
	sample_save(path, copy, copy_bytes - 1);
	assert_int_equal(trace_recover(&salvage, path, NULL, &err), 0);
	assert_false(salvage->place_count || salvage->loss_count);
	salvage_close(salvage);
	free(copy);
	copy = sample_load(path, &bytes);
	assert_int_equal(bytes, copy_bytes);
	free(copy);
	assert_int_equal(wm_trace_open(&trace, path, &err), 0);
	assert_non_null(wm_trace_meta(trace, "lost"));
	wm_trace_close(trace);
}

/* The same file comes out, and with damage before its end, none. */
static void test_in_place(void **state)
{
	struct salvage *salvage;
	struct wm_error err;
	size_t bytes, copy_bytes;
	uint8_t *here, *there;

	(void)state;
	check_twice();
	write_file(false);
	for (size_t cut = FILE_HEADER_BYTES + 100; cut < file_bytes; cut += 37) {
		sample_save(path, file, cut);
		assert_int_equal(trace_recover(&salvage, path, copy_path, &err), 0);
		assert_true(salvage->prefix_bytes && salvage->prefix_bytes <= cut);
		salvage_close(salvage);
		assert_int_equal(trace_recover(&salvage, path, NULL, &err), 0);
		salvage_close(salvage);
		here = sample_load(path, &bytes);
		there = sample_load(copy_path, &copy_bytes);
		assert_int_equal(bytes, copy_bytes);
		assert_memory_equal(here, there, bytes);
		free(here);
		free(there);
	}
	assert_int_equal(trace_recover(&salvage, path, NULL, &err), WM_END);
	salvage_close(salvage);
	file[300] ^= 1;
	sample_save(path, file, file_bytes);
	assert_int_equal(trace_recover(&salvage, path, NULL, &err), WM_E_IO);
	assert_non_null(strstr(err.text, "in place"));
	salvage_close(salvage);
	here = sample_load(path, &bytes);
	assert_int_equal(bytes, file_bytes);
	assert_memory_equal(here, file, bytes);
	free(here);
}

static int tear_down(void **state)
{
	(void)state;
	free(file);
	unlink(path);
	unlink(copy_path);
	return 0;
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_intact),	   cmocka_unit_test(test_cut),
	cmocka_unit_test(test_torn),	   cmocka_unit_test(test_flips),
	cmocka_unit_test(test_flips_torn), cmocka_unit_test(test_ruins),
	cmocka_unit_test(test_lies),	   cmocka_unit_test(test_in_place),
};

int main(void)
{
	return cmocka_run_group_tests_name("salvage", tests, NULL, tear_down);
}
