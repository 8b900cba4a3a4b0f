// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Invariant: a group is known only if all of its lines are (format/guest_linux.def), and
 * the groups before it are: what the plugin is told to follow it can follow.
 *
 * A kernel that has symbols and no BTF was built without CONFIG_DEBUG_INFO_BTF. One without
 * perf_event_mmap() was built without CONFIG_PERF_EVENTS: its processes are followed, and
 * what they map is not known. One without do_init_module() has no modules (CONFIG_MODULES),
 * and nothing is missing.
 */
#include "collect/layout.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "collect/kernels.h"
#include "program/elf/btf.h"
#include "program/elf/file.h"
#include "program/elf/kernel.h"
#include "program/kernel/image.h"

enum { GROUPS = 3, NAME_BYTES = 40 }; /* that need each other; of a struct */

static const struct {
	enum guest_knows what;
	const char *text;
} symbols[] = {
#define GUEST_SYMBOL(group, name, text) { GUEST_##group, text },
#define GUEST_MEMBER(group, name, record, member, other)
#include "format/guest_linux.def"
#undef GUEST_SYMBOL
#undef GUEST_MEMBER
};

static const struct {
	enum guest_knows what;
	const char *record, *member, *other;
} members[] = {
#define GUEST_SYMBOL(group, name, text)
#define GUEST_MEMBER(group, name, record, member, other) \
	{ GUEST_##group, record, member, other },
#include "format/guest_linux.def"
#undef GUEST_SYMBOL
#undef GUEST_MEMBER
};

/* What is missing first, of all groups, and which groups miss something. */
struct lack {
	uint32_t groups;
	char text[100];
};

static void miss(struct lack *lack, enum guest_knows what, const char *record,
		 const char *name)
{
	if (!lack->groups || what < (lack->groups & -lack->groups))
		snprintf(lack->text, sizeof(lack->text), "%s%s%s", record ? record : "",
			 record ? "." : "", name);
	lack->groups |= what;
}

/* A file of a kernel: one of the two is there. */
struct opened_kernel {
	const struct elf_kernel *elf;
	const struct kernel_image *image;
	const void *btf; /* NULL: it has none */
	size_t btf_bytes;
};

static uint64_t address_of(const struct opened_kernel *file, const char *name)
{
	uint64_t address;

	if (file->elf)
		return elf_kernel_symbol(file->elf, name);
	return kernel_symbols_find(&file->image->symbols, name, &address) ? address : 0;
}

static void find_symbols(struct guest_linux *layout, const struct opened_kernel *file,
			 struct lack *lack)
{
	for (unsigned i = 0; i < GUEST_SYMBOLS; i++) {
		layout->at[i] = address_of(file, symbols[i].text);
		if (!layout->at[i])
			miss(lack, symbols[i].what, NULL, symbols[i].text);
	}
}

/* By its name in other kernels: a member, or one of another struct after a dot. */
static bool find_other(const struct btf *btf, unsigned member, uint32_t *off)
{
	const char *other = members[member].other;
	const char *dot = other ? strchr(other, '.') : NULL;
	char record[NAME_BYTES];

	if (!dot)
		return other && btf_member(btf, members[member].record, other, off);
	snprintf(record, sizeof(record), "%.*s", (int)(dot - other), other);
	return btf_member(btf, record, dot + 1, off);
}

static void find_members(struct guest_linux *layout, const struct btf *btf,
			 struct lack *lack)
{
	for (unsigned i = 0; i < GUEST_MEMBERS; i++) {
		uint32_t *off = &layout->off[i];

		if (!btf_member(btf, members[i].record, members[i].member, off) &&
		    !find_other(btf, i, off))
			miss(lack, members[i].what, members[i].record, members[i].member);
	}
}

/* A group counts with those before it, the last ones with the first. */
static uint32_t knows(const struct lack *lack)
{
	uint32_t known = 0;

	for (unsigned i = 0; i < GROUPS && !(lack->groups >> i & 1); i++)
		known |= 1u << i;
	return known ? known | (GUEST_ALONE & ~lack->groups) : 0;
}

static void explain(uint32_t knows, const struct lack *lack, const char *path, char *why,
		    size_t size)
{
	static const char *const lost[] = {
		[0] = "threads and processes are not told apart",
		[GUEST_THREADS] = "processes are not told apart",
		[GUEST_THREADS | GUEST_PROCESSES] = "what processes map is not known",
		[GUEST_THREADS | GUEST_PROCESSES | GUEST_MAPPINGS] =
			"code of modules has no names",
	};

	snprintf(why, size, "%s: %s has no %s", lost[knows & ~GUEST_ALONE], path,
		 lack->text);
}

/* False: the file is of no Linux kernel. */
static bool read_kernel(struct guest_linux *layout, const struct opened_kernel *kernel,
			const char *path, char *why, size_t size)
{
	struct lack lack = { .groups = 0 };
	struct btf btf;

	find_symbols(layout, kernel, &lack);
	if (!layout->at[GUEST_AT_SWITCH] && !kernel->btf)
		return false;
	if (kernel->btf && btf_open(&btf, kernel->btf, kernel->btf_bytes))
		find_members(layout, &btf, &lack);
	else
		miss(&lack, GUEST_THREADS, NULL, "BTF (CONFIG_DEBUG_INFO_BTF)");
	if (kernel->btf)
		btf_close(&btf);
	layout->knows = knows(&lack);
	*why = 0;
	if (!layout->at[GUEST_AT_MODULE])
		lack.groups &= ~GUEST_MODULES;
	lack.groups &= ~GUEST_EXTRAS;
	if (lack.groups)
		explain(layout->knows, &lack, path, why, size);
	return true;
}

/* The kernel's BTF lies between two symbols of its own. */
static void find_btf(struct opened_kernel *file)
{
	const struct kernel_image *image = file->image;
	uint64_t start = address_of(file, "__start_BTF"),
		 end = address_of(file, "__stop_BTF");

	if (!image->bytes || start < image->start || end < start ||
	    end - image->start > image->n_bytes)
		return;
	file->btf = image->bytes + (start - image->start);
	file->btf_bytes = end - start;
}

static bool read_elf(struct guest_linux *layout, int fd, const char *path, char *why,
		     size_t size)
{
	struct elf_kernel kernel;
	bool found;

	if (!elf_kernel_open(&kernel, fd))
		return false;
	found = read_kernel(layout,
			    &(struct opened_kernel){ &kernel, NULL, kernel.btf,
						     kernel.btf_bytes },
			    path, why, size);
	elf_kernel_close(&kernel);
	return found;
}

static bool read_image(struct guest_linux *layout, int fd, const char *path, char *why,
		       size_t size)
{
	struct kernel_image image;
	struct opened_kernel file = { .image = &image };
	bool found;

	if (!kernel_image_read(&image, fd))
		return false;
	find_btf(&file);
	found = read_kernel(layout, &file, path, why, size);
	kernel_image_fini(&image);
	return found;
}

static void move(struct guest_linux *layout, uint64_t by)
{
	for (unsigned i = 0; i < GUEST_SYMBOLS; i++)
		if (layout->at[i])
			layout->at[i] += by;
}

bool layout_read(struct guest_linux *layout, const struct kernel_file *files, char *why,
		 size_t size)
{
	*layout = (struct guest_linux){ .knows = 0 };
	snprintf(why, size,
		 "threads and processes are not told apart: no Linux kernel was named "
		 "(--kernel)");
	for (; files && files->path; files++) {
		int fd = elf_file_open(files->path);
		bool found;

		if (fd < 0)
			continue;
		found = read_elf(layout, fd, files->path, why, size) ||
			read_image(layout, fd, files->path, why, size);
		if (found)
			move(layout, kernels_moved(fd, files->at));
		close(fd);
		if (found)
			return true;
	}
	return false;
}
