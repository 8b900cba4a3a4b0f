// SPDX-License-Identifier: GPL-2.0-or-later
/* Any bytes as a TOML file: a tree whose texts end, and whose keys are in tables only. */
#include "base/toml.h"
#include "fuzz.h"

static size_t check(const struct toml *value)
{
	size_t n = 1;

	MUST(value->type == TOML_TEXT ? value->text != NULL : !value->text);
	MUST(value->type >= TOML_ARRAY || !value->n);
	for (size_t i = 0; i < value->n; i++) {
		MUST(!value->all[i].key == (value->type == TOML_ARRAY));
		if (value->type == TOML_TABLE)
			MUST(toml_find(value, value->all[i].key) == &value->all[i]);
		n += check(&value->all[i]);
	}
	return n;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	struct toml root;
	struct wm_error err;

	watch_cpu();
	if (!toml_parse(&root, (const char *)data, bytes, &err))
		MUST(check(&root) <= bytes + 1);
	toml_fini(&root);
	return 0;
}
