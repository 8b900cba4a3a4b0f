// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The loads and stores of a trace as the witness of values has them (values.h), read by the
 * library's public functions alone.
 *
 * usage: accesses TRACE DIR list|sum|written
 *
 * list: for each thread a file DIR/INDEX of struct values_entry. sum: of one struct
 * values_sum. written: a list of registers written, and of no accesses. A thread whose accesses were not recorded has no file.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "values.h"
#include "waymark.h"

struct reader {
	const struct wm_trace *trace;
	FILE *out;    /* NULL: only a sum is wanted */
	bool written; /* registers, and not accesses, are */
	struct values_sum sum;
};

static void die(const char *what, const char *why)
{
	fprintf(stderr, "accesses: %s: %s\n", what, why);
	exit(2);
}

/* The address of an instruction of a block. */
static uint64_t address_of(const struct wm_block *block, uint32_t insn)
{
	uint64_t address = block->address;

	for (uint32_t i = 0; i < insn; i++)
		address += block->sizes[i];
	return address;
}

static void put(struct reader *reader, const struct wm_step *step,
		const struct wm_access *access)
{
	struct values_entry entry = {
		.insn = step->insn_ordinal + access->insn,
		.address = access->address,
		.data = { access->data[0], access->data[1] },
		.size = access->size,
		.kind = access->kind == WM_ACCESS_STORE	  ? VALUES_ENTRY_STORE :
			access->kind == WM_ACCESS_WRITTEN ? VALUES_ENTRY_CHANGED :
							    VALUES_ENTRY_LOAD,
	};
	struct wm_block block;

	if (reader->written ? access->kind != WM_ACCESS_WRITTEN :
			      access->kind > WM_ACCESS_STORE)
		return;
	if (wm_trace_block(reader->trace, step->id, &block))
		die("block", "is not there");
	entry.pc = address_of(&block, access->insn);
	if (!reader->out)
		values_add(&reader->sum, &entry);
	else if (fwrite(&entry, sizeof(entry), 1, reader->out) != 1)
		die("list", "cannot be written");
}

/* Reads a thread block by block. False: its accesses were not recorded. */
static bool read_thread(struct reader *reader, unsigned stream)
{
	const struct wm_access *accesses;
	struct wm_cursor *cursor;
	struct wm_step step;
	struct wm_error err;
	bool recorded = true;
	size_t n;
	int ret = wm_cursor_new(&cursor, reader->trace, stream, &err);

	while (!ret && recorded && !(ret = wm_cursor_next_block(cursor, &step, &err))) {
		if (!step.insns)
			continue;
		ret = wm_cursor_accesses(cursor, &accesses, &n, &err);
		recorded = ret != WM_END;
		for (size_t i = 0; !ret && i < n; i++)
			put(reader, &step, &accesses[i]);
	}
	if (ret < 0)
		die("thread", err.text);
	wm_cursor_free(cursor);
	return recorded;
}

static void write_thread(const struct wm_trace *trace, unsigned stream,
			 const char *folder, const char *form)
{
	bool sum = !strcmp(form, "sum");
	struct reader reader = { .trace = trace, .written = !strcmp(form, "written") };
	char path[4096];
	FILE *out;

	snprintf(path, sizeof(path), "%s/%u", folder, stream);
	out = fopen(path, "wb");
	if (!out)
		die(path, "cannot be made");
	reader.out = sum ? NULL : out;
	if (!read_thread(&reader, stream))
		remove(path);
	else if (sum && fwrite(&reader.sum, sizeof(reader.sum), 1, out) != 1)
		die(path, "cannot be written");
	if (fclose(out))
		die(path, "cannot be written");
}

int main(int argc, char **argv)
{
	struct wm_summary summary;
	struct wm_trace *trace;
	struct wm_error err;

	if (argc != 4)
		die("usage", "accesses TRACE DIR list|sum|written");
	if (wm_trace_open(&trace, argv[1], &err))
		die(argv[1], err.text);
	wm_trace_summary(trace, &summary);
	for (unsigned i = 0; i < summary.streams; i++)
		write_thread(trace, i, argv[2], argv[3]);
	wm_trace_close(trace);
	return 0;
}
