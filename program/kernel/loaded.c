// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The kernel puts the code of a module in two places, and frees the one that runs once.
 * Where that is, its functions say: they are those outside of the first place. Both become
 * ranges of one imagined file, in which the first begins at 0 and the second at the next
 * page after it, so a module that is loaded again elsewhere is the same file.
 *
 * Example: code at 0x7f8000..0x7f8450 and init_module() at 0x7fa000, 0x40 bytes: bytes 0 to
 * 0x450 of the file, and 0x1000 to 0x1040.
 */
#include "program/kernel/loaded.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <xxhash.h>

#include "program/elf/names.h"

#define PAGE UINT64_C(4096)

/* No part is larger; what says so is malformed. */
#define PART_BYTES_MAX (UINT64_C(1) << 30)

/* Two words and a name; false at the end, and when it is malformed. */
static bool next(struct span *data, uint64_t *first, uint64_t *second, const char **name)
{
	const uint8_t *nul;

	*first = span_u64(data);
	*second = span_u64(data);
	nul = span_left(data) ? memchr(data->at, 0, span_left(data)) : NULL;
	if (!nul)
		return false;
	*name = (const char *)data->at;
	data->at = nul + 1;
	return true;
}

static bool is_inside(const struct elf_load *part, uint64_t address)
{
	return address >= part->start && address < part->end;
}

/* Makes the part that runs once as large as its functions. */
static void find_once(struct loaded_module *module, struct span data)
{
	struct elf_load *code = &module->parts[LOADED_CODE];
	struct elf_load *once = &module->parts[LOADED_ONCE];
	uint64_t start, bytes;
	const char *name;

	while (next(&data, &start, &bytes, &name)) {
		if (is_inside(code, start) || bytes > PART_BYTES_MAX ||
		    start > UINT64_MAX - bytes)
			continue;
		if (once->start == once->end || start < once->start)
			once->start = start;
		if (start + bytes > once->end)
			once->end = start + bytes;
	}
	once->file_off = (code->end - code->start + PAGE - 1) & ~(PAGE - 1);
	if (once->end - once->start > PART_BYTES_MAX)
		once->start = once->end = 0;
}

/* The part that has the address, or NULL. */
static const struct elf_load *part_of(const struct loaded_module *module,
				      uint64_t address)
{
	for (unsigned i = 0; i < LOADED_PARTS; i++)
		if (is_inside(&module->parts[i], address))
			return &module->parts[i];
	return NULL;
}

/* In the imagined file addresses are places in it. */
static bool add_names(struct names *names, const struct loaded_module *module,
		      struct span data)
{
	uint64_t start, bytes;
	const char *name;

	while (next(&data, &start, &bytes, &name)) {
		const struct elf_load *part = part_of(module, start);
		uint64_t at = part ? start - part->start + part->file_off : 0, limit;

		if (!part || names_nothing(name))
			continue;
		limit = part->end - part->start + part->file_off;
		if (!names_add(names,
			       &(struct name){ .start = at,
					       .end = bytes < limit - at ? at + bytes :
									   limit,
					       .limit = limit },
			       name, ""))
			return false;
	}
	return true;
}

static bool put_segments(struct loaded_module *module)
{
	struct symtab *names = &module->names;

	names->segments = calloc(LOADED_PARTS, sizeof(*names->segments));
	if (!names->segments)
		return false;
	for (unsigned i = 0; i < LOADED_PARTS; i++) {
		const struct elf_load *part = &module->parts[i];

		if (part->end > part->start)
			names->segments[names->n_segments++] = (struct symtab_segment){
				.file_off = part->file_off,
				.bytes = part->end - part->start,
				.vaddr = part->file_off,
				.code = true,
			};
	}
	return true;
}

/* Of all that does not depend on where it was loaded. */
static void sum_up(struct loaded_module *module)
{
	const struct symtab *names = &module->names;
	XXH64_hash_t sum = XXH3_64bits(names->names.data, names->names.len);

	for (uint32_t i = 0; i < names->n_ranges; i++) {
		uint64_t range[] = { sum, names->ranges[i].start, names->ranges[i].end };

		sum = XXH3_64bits(range, sizeof(range));
	}
	snprintf(module->build_id, sizeof(module->build_id), "%016llx",
		 (unsigned long long)sum);
}

bool loaded_read(struct loaded_module *module, struct span data)
{
	struct names names = { .texts = BUF_INIT };
	struct elf_load *code = &module->parts[LOADED_CODE];
	const char *name;
	bool good;

	*module = (struct loaded_module){ .names = SYMTAB_INIT };
	if (!next(&data, &code->start, &code->end, &name) || code->end <= code->start ||
	    code->end - code->start > PART_BYTES_MAX)
		return false;
	snprintf(module->path, sizeof(module->path), "[%.70s]", name);
	find_once(module, data);
	good = add_names(&names, module, data) && names_finish(&names, &module->names) &&
	       put_segments(module);
	names_fini(&names);
	if (good)
		sum_up(module);
	else
		loaded_fini(module);
	return good;
}

void loaded_fini(struct loaded_module *module)
{
	symtab_fini(&module->names);
}
