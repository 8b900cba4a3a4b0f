// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Invariant: number n was given before number n + 1 and after its parent, so the file has
 * each space after those it refers to, and a message with another number is a lie.
 *
 * Example: number 0 is the machine. Init is 1; the shell that it becomes by execve() is 2,
 * with parent 1 and the same pid; a child of the shell is 3, with parent 2.
 */
#include "collect/spaces.h"

#include <stdlib.h>
#include <string.h>

#include "format/records.h"
#include "format/section.h"

void spaces_fini(struct image_spaces *spaces)
{
	for (uint32_t i = 0; i < spaces->n; i++)
		free(spaces->at[i].path);
	free(spaces->at);
}

bool spaces_add(struct image_spaces *spaces, uint32_t index, uint32_t pid,
		const char *path)
{
	struct image_space space = { .index = index, .pid = pid };
	struct image_space *grown;

	if (spaces->n == spaces->room) {
		uint32_t room = 2 * spaces->room + 1;

		grown = realloc(spaces->at, room * sizeof(*grown));
		if (!grown)
			return false;
		spaces->at = grown;
		spaces->room = room;
	}
	space.path = strdup(path);
	if (!space.path)
		return false;
	spaces->at[spaces->n++] = space;
	return true;
}

void spaces_choose(struct image_space *space, struct steered *steered)
{
	space->left_out =
		!steered_wants_process(steered, space->index, space->pid, space->path);
	steered->outcome.processes_out += space->left_out;
}

bool spaces_begin(struct image_spaces *spaces, const struct message_space *message,
		  const char *path, uint32_t *index, struct output *out)
{
	struct space_record record = {
		.index = *index,
		.pid = message->pid,
		.begin_ns = message->ns,
		.path = (char *)path,
		.kind = WM_SPACE_PROCESS,
	};
	struct buf payload = BUF_INIT;

	if (message->number != spaces->n || message->parent >= spaces->n)
		return false;
	if (!*path)
		record.path = spaces->at[message->parent].path;
	if (!spaces_add(spaces, *index, message->pid, record.path))
		return false;
	record.parent = message->parent ? spaces->at[message->parent].index : SPACE_NONE;
	record.over = spaces->at[0].index;
	++*index;
	space_put(&payload, &record);
	output_put(out, SECTION_PROC, &payload, 0);
	buf_fini(&payload);
	return true;
}

void spaces_end(struct image_spaces *spaces, uint32_t number, int status, uint64_t ns,
		struct output *out)
{
	struct image_space *space = &spaces->at[number];
	struct space_end_record end = { space->index, status, ns };
	struct buf payload = BUF_INIT;

	if (space->ended)
		return;
	space->ended = true;
	space_end_put(&payload, &end);
	output_put(out, SECTION_PEND, &payload, 0);
	buf_fini(&payload);
}
