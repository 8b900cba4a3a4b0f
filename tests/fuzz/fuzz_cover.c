// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Any bytes as the cover of some runs, which is added to another one. What was taken is written
 * again, and taken as the same cover.
 */
#include "analysis/cover/cover_state.h"
#include "fuzz.h"

/* False: the bytes are no cover. Afterwards it can only be freed. */
static bool take_cover(struct cover *cover, struct span in)
{
	struct wm_error err = { .text = "" };
	int ret;

	ret = cover_take(cover, in, &err);
	MUST(!ret || ret == WM_E_FORMAT || ret == WM_E_NOMEM);
	MUST(!ret == !*err.text);
	return !ret;
}

/* Appends the cover of the bytes, taken `times` times; false: they are none. */
static bool put_taken(struct span in, unsigned times, struct buf *out)
{
	struct wm_error err;
	struct cover cover;
	bool good = true;

	MUST(!cover_init(&cover, true, &err));
	while (good && times--)
		good = take_cover(&cover, in);
	if (good) {
		cover_put(&cover, out);
		MUST(!out->failed);
		cover_finish(&cover);
	}
	cover_fini(&cover);
	return good;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	struct buf once = BUF_INIT, again = BUF_INIT, twice = BUF_INIT;

	watch_cpu();
	if (put_taken(span_of(data, bytes), 1, &once)) {
		MUST(put_taken(span_of(once.data, once.len), 1, &again));
		MUST(once.len == again.len && !memcmp(once.data, again.data, once.len));
		put_taken(span_of(data, bytes), 2, &twice);
	}
	buf_fini(&once);
	buf_fini(&again);
	buf_fini(&twice);
	return 0;
}
