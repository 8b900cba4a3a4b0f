// SPDX-License-Identifier: GPL-2.0-or-later
/* Any bytes as a map of generated code: what is taken of them are ranges with names. */
#include "made.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	struct made made = MADE_INIT;
	struct wm_error err;
	int ret = made_perf_map.read(&made, (const char *)data, bytes, &err);

	MUST(ret == (made.n ? 0 : WM_END));
	check_made(&made, data, bytes);
	made_fini(&made);
	return 0;
}
