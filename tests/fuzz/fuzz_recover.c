// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Any bytes as a damaged trace: what is made of it must be sound and have nothing to recover,
 * and serve what the damaged one did.
 */
#include <fcntl.h>
#include <unistd.h>

#include "sections.h"
#include "trace/salvage.h"
#include "waymark.h"

enum { PATH_BYTES = 100, BLOCKS = 300 };

static char path[PATH_BYTES];

static struct wm_trace *open_sound(void)
{
	struct wm_check check = { .threads = 1 };
	struct wm_trace *trace;
	struct wm_error err;
	int ret = wm_trace_open(&trace, path, &err);

	if (!ret)
		ret = wm_trace_verify(trace, &check, &err);
	if (ret) {
		fprintf(stderr, "what was recovered: %s\n", err.text);
		abort();
	}
	return trace;
}

/* One stream of both, from the start: the new one may have lost what is in the old. */
static void compare_stream(const struct wm_trace *old, const struct wm_trace *new,
			   unsigned index)
{
	struct wm_cursor *old_cursor, *new_cursor;
	struct wm_step old_step, new_step;
	struct wm_block old_block, new_block;

	MUST(!wm_cursor_new(&old_cursor, old, index, NULL));
	MUST(!wm_cursor_new(&new_cursor, new, index, NULL));
	for (unsigned i = 0; i < BLOCKS; i++) {
		if (wm_cursor_next_block(old_cursor, &old_step, NULL) ||
		    wm_trace_block(old, old_step.id, &old_block) ||
		    wm_cursor_next_block(new_cursor, &new_step, NULL))
			break;
		MUST(!wm_trace_block(new, new_step.id, &new_block));
		MUST(old_step.block_ordinal == new_step.block_ordinal);
		MUST(old_step.insn_ordinal == new_step.insn_ordinal);
		MUST(old_step.insns == new_step.insns);
		MUST(old_block.address == new_block.address);
		MUST(old_block.bytes == new_block.bytes);
		MUST(!memcmp(old_block.code, new_block.code, new_block.bytes));
	}
	wm_cursor_free(old_cursor);
	wm_cursor_free(new_cursor);
}

/* What is found whole by one must be by the other. */
static void compare(const uint8_t *data, size_t bytes, bool whole)
{
	struct wm_check check = { .threads = 1 };
	struct wm_trace *old, *new = open_sound();
	struct wm_summary summary;
	struct wm_stream stream;
	bool sound;

	if (wm_trace_open_memory(&old, data, bytes, NULL)) {
		MUST(!whole);
		wm_trace_close(new);
		return;
	}
	wm_trace_summary(old, &summary);
	sound = !wm_trace_verify(old, &check, NULL) && !summary.damage_off;
	MUST(whole <= sound);
	MUST(whole || !sound || !summary.complete);
	for (unsigned i = 0; sound && i < 4 && !wm_trace_stream(old, i, &stream); i++)
		compare_stream(old, new, i);
	wm_trace_close(old);
	wm_trace_close(new);
}

static void describe(const struct salvage *salvage)
{
	char text[100];

	for (size_t i = 0; i < salvage->place_count; i++)
		salvage_describe_place(salvage, i, text, sizeof(text));
	for (size_t i = 0; i < salvage->ids_count; i++)
		salvage_describe_ids(&salvage->ids[i], text, sizeof(text));
	for (size_t i = 0; i < salvage->loss_count; i++)
		salvage_describe_loss(&salvage->losses[i], text, sizeof(text));
}

static void check_again(void)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct salvage *salvage;

	MUST(fd >= 0 && !salvage_open(&salvage, fd, path, NULL));
	MUST(salvage_is_whole(salvage));
	salvage_close(salvage);
}

static void recover(const uint8_t *data, size_t bytes)
{
	struct salvage *salvage;
	struct writer *writer;
	struct wm_error err;

	if (salvage_open_memory(&salvage, data, bytes, &err)) {
		MUST(err.code == WM_E_DAMAGED || err.code == WM_E_FORMAT ||
		     err.code == WM_E_NEWER);
		return;
	}
	describe(salvage);
	MUST(salvage->prefix_bytes <= bytes);
	MUST(!writer_open(&writer, path, &err));
	MUST(!salvage_write(salvage, writer, false, &err));
	MUST(!writer_publish(writer, &err) && !writer_finish(writer, &err));
	compare(data, bytes, salvage_is_whole(salvage));
	salvage_close(salvage);
	check_again();
	unlink(path);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	uint8_t *repaired = malloc(bytes + 1);

	watch_cpu();
	if (!*path)
		snprintf(path, sizeof(path), "/dev/shm/waymark-fuzz-%d.wmk",
			 (int)getpid());
	MUST(repaired);
	memcpy(repaired, data, bytes);
	repair(repaired, bytes);
	if (is_quick(repaired, bytes))
		recover(repaired, bytes);
	free(repaired);
	return 0;
}
