// SPDX-License-Identifier: GPL-2.0-or-later
#include "collect/others.h"

#include <stdio.h>
#include <string.h>

static void put_process(struct buf *text, const struct process *process, bool is_next)
{
	const char *program = process->program ? process->program : "";
	const char *slash = strrchr(program, '/');
	char word[64];
	int n = snprintf(word, sizeof(word), "%s%u (%.32s)", is_next ? ", " : "",
			 process->life.pid, slash ? slash + 1 : program);

	buf_put(text, word, (size_t)n);
}

char *others_list(const struct crowd *crowd, const char *before)
{
	struct buf text = BUF_INIT;
	bool any = false;

	buf_put(&text, before, strlen(before));
	for (uint32_t i = 0; i < crowd->top; i++) {
		if (!crowd_live(crowd, i))
			continue;
		put_process(&text, crowd->at[i], any);
		any = true;
	}
	buf_put_u8(&text, 0);
	if (any && !text.failed)
		return (char *)text.data;
	buf_fini(&text);
	return NULL;
}
