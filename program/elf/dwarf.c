// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Opens the DWARF of a file, and translates between addresses and bytes of the file.
 *
 * libdw checks what it reads against the file, but relies on strings to end before their
 * section does. That is checked here: for whole sections of strings when the file is
 * opened, for strings inside attributes when they are read.
 *
 * Example: a segment has file offset 0x1000, 0x500 bytes and address 0x401000. Address
 * 0x401010 is byte 0x1010. A range 0x400ff0 to 0x401010 is cut to 0x1000 to 0x1010.
 *
 * Invariant: sums of a segment's fields do not overflow; segments whose sums would are
 * left out.
 */
#include "program/elf/dwarf.h"

#include <dwarf.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "program/elf/left_out.h"
#include "program/elf/search.h"

/* ---- places in the file and in memory ------------------------------------ */

static bool is_sound_segment(const GElf_Phdr *phdr)
{
	/* Only code: lines and inlined calls are never of data. */
	return phdr->p_type == PT_LOAD && phdr->p_flags & PF_X &&
	       phdr->p_offset <= UINT64_MAX - phdr->p_filesz &&
	       phdr->p_vaddr <= UINT64_MAX - phdr->p_filesz;
}

static bool read_segments(struct dwarf *dwarf)
{
	GElf_Phdr phdr;
	size_t n;

	/* libelf takes an int. */
	if (elf_getphdrnum(dwarf->elf, &n) != 0 || n == 0 || n > INT32_MAX)
		return false;
	dwarf->segments = calloc(n, sizeof(*dwarf->segments));
	for (size_t i = 0; dwarf->segments && i < n; i++)
		if (gelf_getphdr(dwarf->elf, (int)i, &phdr) && is_sound_segment(&phdr))
			dwarf->segments[dwarf->n_segments++] =
				(struct dwarf_segment){ phdr.p_offset, phdr.p_filesz,
							phdr.p_vaddr };
	return dwarf->n_segments;
}

const struct dwarf_segment *dwarf_segment_of(const struct dwarf *dwarf, uint64_t file_off)
{
	for (size_t i = 0; i < dwarf->n_segments; i++)
		/* One comparison: a difference below 0 wraps and is large. */
		if (file_off - dwarf->segments[i].file_off < dwarf->segments[i].bytes)
			return &dwarf->segments[i];
	return NULL;
}

const struct dwarf_segment *dwarf_segment_at(const struct dwarf *dwarf, uint64_t vaddr)
{
	for (size_t i = 0; i < dwarf->n_segments; i++)
		if (vaddr - dwarf->segments[i].vaddr < dwarf->segments[i].bytes)
			return &dwarf->segments[i];
	return NULL;
}

bool dwarf_is_left_out(const struct dwarf *dwarf, uint64_t vaddr)
{
	return dwarf->has_left_out && !vaddr;
}

/* A start below the segment is cut to its begin: the subtraction then leaves 0. */
void dwarf_place(const struct dwarf_segment *segment, uint64_t *start, uint64_t *end)
{
	uint64_t bytes = *end - segment->vaddr;

	*start -= *start < segment->vaddr ? *start : segment->vaddr;
	*start += segment->file_off;
	*end = segment->file_off + (bytes < segment->bytes ? bytes : segment->bytes);
}

/* ---- sound strings ------------------------------------------------------- */

/*
 * Whether a string that is stored in the attribute itself (DW_FORM_string) ends before
 * its section does. Strings of other forms are in sections that strings_end() has
 * checked.
 */
static bool is_sound(const struct dwarf *dwarf, Dwarf_Attribute *attribute)
{
	Elf_Scn *section = NULL;

	if (dwarf_whatform(attribute) != DW_FORM_string)
		return true;
	/*
	 * The attribute may lie in any section of the DWARF; the one that contains it
	 * bounds the string.
	 */
	while ((section = elf_nextscn(dwarf_getelf(dwarf->is), section))) {
		Elf_Data *data = elf_getdata(section, NULL);
		const char *begin = data ? data->d_buf : NULL;
		const char *at = (const char *)attribute->valp;

		if (begin && at >= begin && at < begin + data->d_size)
			return memchr(at, 0, data->d_size - (size_t)(at - begin));
	}
	return false;
}

const char *dwarf_string(const struct dwarf *dwarf, Dwarf_Attribute *attribute)
{
	return attribute && is_sound(dwarf, attribute) ? dwarf_formstring(attribute) :
							 NULL;
}

static bool is_of_strings(Elf *elf, Elf_Scn *section)
{
	const char *name = NULL;
	GElf_Shdr shdr;
	size_t names;

	if (elf_getshdrstrndx(elf, &names) == 0 && gelf_getshdr(section, &shdr))
		name = elf_strptr(elf, names, shdr.sh_name);
	/* Also .zdebug_str and .debug_str.dwo. */
	return name && (strstr(name, "debug_str") || strstr(name, "debug_line_str"));
}

/*
 * Whether every section of strings ends with a NUL, so that each string in it ends there
 * at last.
 */
static bool strings_end(const struct dwarf *dwarf)
{
	Elf *elf = dwarf_getelf(dwarf->is);
	Elf_Scn *section = NULL;

	while ((section = elf_nextscn(elf, section))) {
		Elf_Data *data;

		if (!is_of_strings(elf, section))
			continue;
		data = elf_getdata(section, NULL);
		if (!data || !data->d_size)
			continue;
		/* One that takes no place in the file has a size, and nothing there. */
		if (!data->d_buf || ((const char *)data->d_buf)[data->d_size - 1])
			return false;
	}
	return true;
}

/* ---- all of it ----------------------------------------------------------- */

/* The debug file stays open as long as its DWARF is in use. */
static bool find_dwarf(struct dwarf *dwarf, const char *path, const char *build_id)
{
	Dwarf_CU *unit;

	dwarf->is = dwarf_begin_elf(dwarf->elf, DWARF_C_READ, NULL);
	/* A file may have sections of DWARF without a unit in them. */
	if (dwarf->is &&
	    dwarf_get_units(dwarf->is, NULL, &unit, NULL, NULL, NULL, NULL) == 0)
		return true;
	dwarf_end(dwarf->is);
	dwarf->debug_fd = elf_search_debug(dwarf->fd, path, build_id);
	/* Not dwarf_begin(), which maps the file; and left_out.h writes to what was read. */
	dwarf->debug = dwarf->debug_fd < 0 ? NULL :
					     elf_begin(dwarf->debug_fd, ELF_C_READ, NULL);
	dwarf->is = dwarf->debug ? dwarf_begin_elf(dwarf->debug, DWARF_C_READ, NULL) :
				   NULL;
	return dwarf->is;
}

bool dwarf_open(struct dwarf *dwarf, int fd, const char *path, const char *build_id)
{
	*dwarf = (struct dwarf){ .fd = fd, .debug_fd = -1 };
	elf_version(EV_CURRENT);
	dwarf->elf = elf_begin(fd, ELF_C_READ,
			       NULL); /* never mapped: see program/elf/file.c */
	if (dwarf->elf && elf_kind(dwarf->elf) == ELF_K_ELF && read_segments(dwarf) &&
	    find_dwarf(dwarf, path, build_id) && strings_end(dwarf)) {
		dwarf->has_left_out = left_out_is_at_zero(dwarf->elf);
		if (dwarf->has_left_out)
			left_out_move_lines(dwarf_getelf(dwarf->is));
		return true;
	}
	dwarf_close(dwarf);
	return false;
}

/* Any of these may be missing when opening has failed. */
void dwarf_close(struct dwarf *dwarf)
{
	free(dwarf->segments);
	dwarf_end(dwarf->is);
	elf_end(dwarf->debug);
	elf_end(dwarf->elf);
	if (dwarf->debug_fd >= 0)
		close(dwarf->debug_fd);
	close(dwarf->fd);
}
