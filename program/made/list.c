// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The forms that lists of generated code have. The text itself says which one it is: names
 * of files do not, because users rename and copy them.
 */
#include "program/made/list.h"

#include <unistd.h>

const struct made_form *const made_forms[] = { &made_jitdump, &made_perf_map, NULL };

int made_read(struct made *made, struct buf *text, int fd, size_t bytes,
	      struct wm_error *err)
{
	char part[1 << 14];
	int ret = WM_END;
	ssize_t n;

	*made = MADE_INIT;
	while (text->len < bytes && (n = read(fd, part, sizeof(part))) > 0)
		buf_put(text, part, (size_t)n);
	if (text->failed)
		return wm_fail_nomem(err, "names of generated code");
	for (unsigned i = 0; ret == WM_END && made_forms[i]; i++)
		ret = made_forms[i]->read(made, (const char *)text->data, text->len, err);
	return ret;
}
