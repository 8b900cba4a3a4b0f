// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * An ELF file, or names of code as a trace has them (SYMS), that mean harm: whatever they
 * are, what is taken from them holds together, and can be packed and unpacked.
 */
#include <sys/mman.h>
#include <unistd.h>

#include "fuzz.h"
#include "program/elf/file.h"
#include "program/elf/needs.h"
#include "program/elf/symbols.h"

static void check_sound(const struct symtab *symtab)
{
	size_t bytes = symtab->names.len;
	uint64_t offset;

	MUST(!symtab->n_ranges || (bytes && !symtab->names.data[bytes - 1]));
	for (uint32_t i = 0; i < symtab->n_ranges; i++) {
		const struct symtab_range *range = &symtab->ranges[i];

		MUST(range->name < bytes && range->start <= range->end);
		MUST(!i || range[-1].start < range->start);
		MUST(range->outer == SYMTAB_NO_RANGE || range->outer < i);
	}
	for (uint32_t i = 0; i < symtab->n_segments; i++)
		for (uint64_t at = 0; at < 64 && at < symtab->segments[i].bytes; at++)
			symtab_find(symtab, symtab->segments[i].file_off + at, &offset);
}

static bool equal(const struct symtab *a, const struct symtab *b)
{
	if (a->n_ranges != b->n_ranges || a->n_segments != b->n_segments)
		return false;
	for (uint32_t i = 0; i < a->n_ranges; i++)
		if (a->ranges[i].start != b->ranges[i].start ||
		    a->ranges[i].end != b->ranges[i].end ||
		    a->ranges[i].outer != b->ranges[i].outer ||
		    strcmp((const char *)a->names.data + a->ranges[i].name,
			   (const char *)b->names.data + b->ranges[i].name) != 0)
			return false;
	return true;
}

static void check(struct symtab *symtab, const char *build_id)
{
	struct symtab_head head = { (char *)build_id, (char *)"/a" };
	struct buf payload = BUF_INIT;
	struct symtab again;
	struct span span;

	check_sound(symtab);
	if (symtab_put(&payload, &head, symtab)) {
		span = span_of(payload.data, payload.len);
		MUST(symtab_get_head(&span, &head));
		MUST(!strcmp(head.build_id, build_id) && !strcmp(head.path, "/a"));
		symtab_head_fini(&head);
		MUST(symtab_get(&span, &again) && equal(symtab, &again));
		symtab_fini(&again);
	}
	buf_fini(&payload);
	symtab_fini(symtab);
}

/* Its name is read to its end. */
static bool check_symbol(void *cookie, const struct elf_symbol *symbol)
{
	*(uint64_t *)cookie += strlen(symbol->name);
	MUST(*symbol->name);
	return true;
}

static void try_needs(int fd)
{
	struct elf_needs needs;

	if (!elf_needs_read(&needs, fd))
		return;
	for (size_t i = 0; i < needs.n; i++)
		MUST(strlen(needs.libraries[i]) <= 4096);
	MUST(!needs.interpreter || strlen(needs.interpreter) <= 4096);
	MUST(!needs.run_path || strlen(needs.run_path) <= 4096);
	elf_needs_fini(&needs);
}

static void try_file(const uint8_t *data, size_t bytes)
{
	int fd = memfd_create("elf", MFD_CLOEXEC);
	char build_id[ELF_BUILD_ID_TEXT];
	struct symtab symtab;
	uint64_t sum = 0;

	MUST(fd >= 0 && write(fd, data, bytes) == (ssize_t)bytes);
	elf_file_build_id(fd, build_id);
	MUST(strlen(build_id) < sizeof(build_id));
	if (elf_symbols_read(&symtab, fd, "/nonexistent/elf", build_id))
		check(&symtab, build_id);
	elf_symbols_each(fd, "/nonexistent/elf", build_id, check_symbol, &sum);
	try_needs(fd);
	close(fd);
}

static void try_names(const uint8_t *data, size_t bytes)
{
	struct span span = span_of(data, bytes);
	struct symtab_head head;
	struct symtab symtab;

	if (!symtab_get_head(&span, &head))
		return;
	symtab_head_fini(&head);
	if (symtab_get(&span, &symtab))
		check(&symtab, "00");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	watch_cpu();
	if (bytes && data[0] == '\177')
		try_file(data, bytes);
	else
		try_names(data, bytes);
	return 0;
}
