// SPDX-License-Identifier: GPL-2.0-or-later
/* Any bytes as a map of generated code: what is taken of them are ranges with names. */
#include "fuzz.h"
#include "program/provider.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	struct address_names names = { .texts = BUF_INIT };
	struct wm_error err;
	int ret = provider_perf_map.of_addresses(&names, (const char *)data, bytes, &err);

	MUST(ret == (names.extents.n ? 0 : WM_END));
	for (size_t i = 0; i < names.extents.n; i++) {
		const struct extent *extent = &names.extents.all[i];
		const char *name = (const char *)names.texts.data + extent->what;

		MUST(extent->start < extent->end);
		MUST(!i || extent->order > extent[-1].order);
		MUST(extent->what < names.texts.len);
		MUST(strlen(name) < names.texts.len - extent->what);
	}
	extents_sort(&names.extents);
	for (size_t i = 0; i < names.extents.n; i++)
		MUST(names.extents.all[i].reach >= names.extents.all[i].end);
	extents_fini(&names.extents);
	buf_fini(&names.texts);
	return 0;
}
