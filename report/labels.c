// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Names of functions, each stored once. Sections refer to a name by its number.
 *
 * Names are interned: the "address" of a name is the number of its module, so functions
 * of the same name in two files remain two. Texts end with a NUL and are cut to a bounded
 * length, because symbols of templates may have many thousand bytes.
 *
 * Example: "main" in /bin/a and "main" in /bin/b are the modules 1 and 2 and the names 1
 * and 2.
 *
 * Invariant: numbers start at 1; a name of module 0 is in no file.
 */
#include "report/labels.h"

#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "out/shorten.h"

void labels_fini(struct labels *labels)
{
	interner_fini(&labels->modules);
	interner_fini(&labels->names);
}

/*
 * room[most + 4]: three dots and the NUL. strnlen() reads one byte beyond `most` at the
 * most, so a text without a bound costs no more than its cut.
 */
const char *label_cut(char *room, const char *text, size_t most)
{
	size_t bytes = strnlen(text, most + 1);

	if (bytes <= most)
		return text;
	/* Not inside a character: continuation bytes of UTF-8 are 10xxxxxx. */
	for (bytes = most; bytes && (text[bytes] & 0xc0) == 0x80;)
		bytes--;
	memcpy(room, text, bytes);
	strcpy(room + bytes, "...");
	return room;
}

const char *label_name(char *room, const char *name)
{
	size_t bytes = strnlen(name, LABEL_BYTES_MAX + 1);
	char *folded = bytes > LABEL_BYTES_MAX ? shorten(name, LABEL_BYTES_MAX - 4) :
						 NULL;

	if (bytes <= LABEL_BYTES_MAX)
		return name;
	/* Of letters that have several bytes there may still be too many. */
	name = label_cut(room, folded ? folded : name, LABEL_BYTES_MAX);
	if (name == folded)
		name = strcpy(room, folded);
	free(folded);
	return name;
}

static uint32_t add_text(struct interner *in, uint64_t address, const char *text)
{
	bool fresh;

	return intern(in, address, (const uint8_t *)text, (uint32_t)strlen(text) + 1,
		      &fresh);
}

uint32_t labels_add_path(struct labels *labels, const char *path)
{
	char room[PATH_BYTES_MAX + 4];

	return add_text(&labels->modules, 0, label_cut(room, path, PATH_BYTES_MAX));
}

uint32_t labels_add(struct labels *labels, const char *name, const char *module)
{
	char room[LABEL_BYTES_MAX + 4];
	uint32_t in = module ? labels_add_path(labels, module) : 0;

	if (module && !in)
		return 0;
	return add_text(&labels->names, in, label_name(room, name));
}

static const char *text_of(const struct interner *in, uint32_t id, uint64_t *address)
{
	uint32_t bytes;

	return (const char *)intern_code(in, id, address, &bytes);
}

/* A long name is followed by a short one, to be read; the long one says which it is. */
static void put_name(struct json *json, const char *name, uint64_t module)
{
	char *brief = utf8_columns(name) > LABEL_COLUMNS ? shorten(name, LABEL_COLUMNS) :
							   NULL;

	json_array(json, NULL);
	json_string(json, NULL, name);
	json_uint(json, NULL, module);
	if (brief)
		json_string(json, NULL, brief);
	json_close(json);
	free(brief);
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
		const char *name = text_of(&labels->names, i, &module);

		put_name(json, name, module);
	}
	json_close(json);
}
