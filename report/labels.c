// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Names are interned as pieces of code are: the "address" of a name is the number of its
 * module, so that functions of one name in two files stay two. Pieces end in a NUL.
 */
#include "report/labels.h"

#include <stdio.h>
#include <string.h>

/* Bytes of a path are kept whole up to here. */
enum { PATH_BYTES_MAX = 1024 };

void labels_fini(struct labels *labels)
{
	interner_fini(&labels->modules);
	interner_fini(&labels->names);
}

/* Interns text, of which `most` bytes may be kept. */
static uint32_t add_text(struct interner *in, uint64_t address, const char *text,
			 size_t most)
{
	char copy[PATH_BYTES_MAX + 4];
	size_t bytes = strnlen(text, most + 1);
	bool fresh;

	if (bytes > most) {
		/* Not in the middle of a character. */
		for (bytes = most; bytes && (text[bytes] & 0xc0) == 0x80;)
			bytes--;
		snprintf(copy, sizeof(copy), "%.*s...", (int)bytes, text);
		bytes = strlen(copy);
		text = copy;
	}
	return intern(in, address, (const uint8_t *)text, (uint32_t)bytes + 1, &fresh);
}

uint32_t labels_add(struct labels *labels, const char *name, const char *module)
{
	uint32_t in = 0;

	if (module) {
		in = add_text(&labels->modules, 0, module, PATH_BYTES_MAX);
		if (!in)
			return 0;
	}
	return add_text(&labels->names, in, name, LABEL_BYTES_MAX);
}

static const char *text_of(const struct interner *in, uint32_t id, uint64_t *address)
{
	uint32_t bytes;

	return (const char *)intern_code(in, id, address, &bytes);
}

void labels_put(const struct labels *labels, struct json *json)
{
	uint64_t module;

	json_array(json, "modules");
	for (uint32_t i = 1; i <= labels->modules.count; i++)
		json_string(json, NULL, text_of(&labels->modules, i, &module));
	json_close(json);
	json_array(json, "names");
	for (uint32_t i = 1; i <= labels->names.count; i++) {
		json_array(json, NULL);
		json_string(json, NULL, text_of(&labels->names, i, &module));
		json_uint(json, NULL, module);
		json_close(json);
	}
	json_close(json);
}
