// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Finds the parts of a cover by key while runs are added.
 *
 * Keys have 64 bits: the number of the module or source in the upper 24 bits, and a place
 * (an offset in a file, or a line number) in the lower 40. The maps hold the index of a
 * part plus 1, because the value of a new key is 0.
 *
 * Example: the function at offset 0x1234 of module 2 has the key 0x20000001234.
 *
 * Modules are interned by path and build-id, both with their terminating NUL, so the pair
 * is unambiguous; the interner owns the strings.
 */
#include "analysis/cover/cover_index.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/append.h"
#include "trace/u64map.h"

struct cover_index {
	struct u64map functions, lines, branches; /* an index and 1 */
	struct interner modules; /* by path and build-id: an index and 1 */
};

struct cover_index *cover_index_new(void)
{
	struct cover_index *index = calloc(1, sizeof(*index));

	if (!index)
		return NULL;
	index->modules = INTERNER_INIT;
	if (u64map_init(&index->functions) == 0 && u64map_init(&index->lines) == 0 &&
	    u64map_init(&index->branches) == 0)
		return index;
	cover_index_free(index);
	return NULL;
}

void cover_index_free(struct cover_index *index)
{
	if (!index)
		return;
	u64map_fini(&index->functions);
	u64map_fini(&index->lines);
	u64map_fini(&index->branches);
	interner_fini(&index->modules);
	free(index);
}

/*
 * The map's entry of a part, 0 for a new one; NULL: no memory, or too many modules or
 * sources.
 */
static uint32_t *find(struct u64map *map, uint32_t part, uint64_t place)
{
	assert(!(place >> COVER_PLACE_BITS));
	return part >> (64 - COVER_PLACE_BITS) ?
		       NULL :
		       u64map_at(map, (uint64_t)part << COVER_PLACE_BITS | place);
}

struct cover_module *cover_module_at(struct cover *cover, const char *path,
				     const char *build_id)
{
	size_t path_bytes = strlen(path) + 1, id_bytes = strlen(build_id) + 1;
	char *key = malloc(path_bytes + id_bytes);
	uint32_t number = 0;
	bool fresh = false;

	if (!key)
		return NULL;
	memcpy(key, path, path_bytes);
	memcpy(key + path_bytes, build_id, id_bytes);
	number = intern(&cover->index->modules, 0, (const uint8_t *)key,
			(uint32_t)(path_bytes + id_bytes), &fresh);
	free(key);
	if (number && fresh) {
		uint64_t address;
		uint32_t bytes;
		const char *kept = (const char *)intern_code(&cover->index->modules,
							     number, &address, &bytes);
		struct cover_module module = { .path = kept,
					       .build_id = kept + path_bytes };

		if (!APPEND(cover->modules, cover->n_modules, module))
			return NULL;
	}
	/* After an earlier failure an id may be without a module. */
	return number && number <= cover->n_modules ? &cover->modules[number - 1] : NULL;
}

/* `at` is valid until the map's next new key, so it is filled at once. */
struct cover_function *cover_function_at(struct cover *cover, uint32_t module,
					 uint64_t start)
{
	uint32_t *at = find(&cover->index->functions, module, start);
	struct cover_function function = { .module = module, .start = start };

	if (!at || (!*at && !APPEND(cover->functions, cover->n_functions, function)))
		return NULL;
	if (!*at)
		*at = cover->n_functions;
	return &cover->functions[*at - 1];
}

struct cover_line *cover_line_at(struct cover *cover, const struct srcline *line)
{
	uint32_t *at = find(&cover->index->lines, line->source, line->number);
	struct cover_line fresh = { .line = *line };

	if (!at || (!*at && !APPEND(cover->lines, cover->n_lines, fresh)))
		return NULL;
	if (!*at)
		*at = cover->n_lines;
	return &cover->lines[*at - 1];
}

struct cover_branch *cover_branch_at(struct cover *cover, uint32_t module,
				     uint64_t file_off)
{
	uint32_t *at = find(&cover->index->branches, module, file_off);
	struct cover_branch branch = { .module = module, .file_off = file_off };

	if (!at || (!*at && !APPEND(cover->branches, cover->n_branches, branch)))
		return NULL;
	if (!*at)
		*at = cover->n_branches;
	return &cover->branches[*at - 1];
}
