// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Asking the kernel what is mapped may take milliseconds. So it is asked only when code
 * is translated in memory that is unknown or was mapped since the last look: about ten
 * times in a run. Guest memory is at a constant distance from guest addresses, so a host
 * range gives the guest's range.
 *
 * Invariant: ranges[] is sorted and without overlaps. A range in which code ran is never
 * dropped: when the guest maps something there it becomes unsure, and the next look
 * decides whether it has changed.
 *
 * Example: code runs from libc at [0x1000, 0x5000). munmap(0x2000, 0x1000) splits it:
 * 0x2000 to 0x3000 is unsure. Code is translated at 0x2000 again: the kernel has what is
 * there. If it is libc again at the same distance, the three parts become one range and
 * nothing is sent.
 */
#include "plugin/user/maps.h"

#include <stdlib.h>
#include <string.h>

#include "base/bisect.h"
#include "base/clock.h"

enum {
	PAGE = 4096,
	RANGES_MAX = 1 << 16, /* beyond this, memory without a file is not added */
};

/* Part of the guest's memory, and the number of its file; 0: no file. */
struct range {
	uint64_t start, end;
	uint32_t file;
	bool sure;  /* nothing was mapped here since it was looked up */
	bool ran;   /* code ran here */
	bool again; /* code of another file, or of none, ran here before */
};

static struct range *ranges;
static size_t count, allocated;

/* Code at an address is the same if all of this is equal. */
struct file {
	uint64_t dev, ino, mtime_ns;
	uint64_t distance; /* guest address minus offset in the file */
};

static struct file *files; /* [files_count] by number - 1 */
static uint32_t files_count, files_allocated;

/* ---- ranges -------------------------------------------------------------- */

/* Index of the first range that ends after an address. */
static size_t first_behind(uint64_t address)
{
	return BISECT(count, i, ranges[i].end <= address);
}

static bool is_in(size_t at, uint64_t address)
{
	return at < count && ranges[at].start <= address && address < ranges[at].end;
}

/* Code is mostly translated where some was just before. */
static struct range *range_at(uint64_t address)
{
	/* Only a hint: is_in() checks it each time, so moved ranges do no harm. */
	static size_t last;

	if (!is_in(last, address))
		last = first_behind(address);
	return is_in(last, address) ? &ranges[last] : NULL;
}

/* Makes room for `extra` more ranges. */
static bool reserve(size_t extra)
{
	size_t n = allocated * 2 + 32;
	struct range *grown;

	if (count + extra <= allocated)
		return true;
	grown = realloc(ranges, n * sizeof(*grown));
	if (!grown)
		return false;
	ranges = grown;
	allocated = n;
	return true;
}

/* Moves the ranges from index `to` on to index `from`: removes some, or makes room. */
static void move(size_t to, size_t from)
{
	memmove(ranges + from, ranges + to, (count - to) * sizeof(*ranges));
	count = count - to + from;
}

/*
 * Splits the range that contains `address`; returns the index of the first range after
 * it.
 */
static size_t cut_at(uint64_t address)
{
	size_t at = first_behind(address);

	if (at == count || ranges[at].start >= address)
		return at;
	/*
	 * Duplicates the range; both halves keep what is known of it. The caller has
	 * reserved room.
	 */
	move(at, at + 1);
	ranges[at] = ranges[at + 1];
	ranges[at].end = ranges[at + 1].start = address;
	return at + 1;
}

static bool continues(const struct range *before, const struct range *after)
{
	return before->end == after->start && before->file == after->file &&
	       before->sure == after->sure && before->ran == after->ran &&
	       before->again == after->again;
}

/*
 * Replaces whatever is known of the range's addresses, and joins it with its neighbours.
 */
static void set(const struct range *range)
{
	size_t from, to;

	/* Two cuts and one new range. Without memory the old knowledge stays. */
	if (!reserve(3))
		return;
	/* The start first: a cut moves all later indexes. */
	from = cut_at(range->start);
	to = cut_at(range->end);
	move(to, from + 1);
	ranges[from] = *range;
	/*
	 * Joining keeps the number of ranges near the number of mappings, however often
	 * parts of them were looked up.
	 */
	if (from + 1 < count && continues(&ranges[from], &ranges[from + 1])) {
		ranges[from].end = ranges[from + 1].end;
		move(from + 2, from + 1);
	}
	if (from && continues(&ranges[from - 1], &ranges[from])) {
		ranges[from - 1].end = ranges[from].end;
		move(from + 1, from);
	}
}

/* What is known between two addresses. */
struct mixture {
	bool any;
	bool files; /* files other than the given one, reported to the collector */
	bool ran;   /* code ran in memory without a file */
	bool bare;  /* the same, in memory that never had a file */
	bool again;
};

static struct mixture mixture_of(uint64_t start, uint64_t end, uint32_t file)
{
	struct mixture mixture = { 0 };

	for (size_t at = first_behind(start); at < count && ranges[at].start < end;
	     at++) {
		const struct range *range = &ranges[at];

		mixture.any = true;
		mixture.files |= range->file && range->file != file;
		mixture.ran |= !range->file && range->ran;
		mixture.bare |= !range->file && range->ran && !range->again;
		mixture.again |= range->again;
	}
	return mixture;
}

/* Rounds outwards to whole pages; false when nothing is left. */
static bool whole_pages(uint64_t *start, uint64_t *end)
{
	*start &= ~(uint64_t)(PAGE - 1);
	*end = *end > UINT64_MAX - PAGE ? UINT64_MAX : *end + PAGE - 1;
	*end &= ~(uint64_t)(PAGE - 1);
	return *start < *end;
}

void maps_forget(uint64_t start, uint64_t end)
{
	size_t from, to;

	if (!whole_pages(&start, &end) || !mixture_of(start, end, 0).any)
		return;
	if (!reserve(2)) { /* without memory: all ranges become unsure */
		for (size_t at = 0; at < count; at++)
			ranges[at].sure = false;
		return;
	}
	from = cut_at(start);
	to = cut_at(end);
	for (size_t at = from; at < to; at++) {
		/*
		 * Where no code ran, nothing was reported either, so nothing needs to be
		 * compared later.
		 */
		if (!ranges[at].ran)
			continue;
		ranges[from] = ranges[at];
		ranges[from++].sure = false;
	}
	move(to, from);
}

/* Where the collector knows a file, the next code must report that it is gone. */
void maps_anonymous(uint64_t start, uint64_t end)
{
	struct mixture left;

	maps_forget(start, end);
	if (!whole_pages(&start, &end) || count >= RANGES_MAX)
		return;
	left = mixture_of(start, end, 0);
	if (!left.files)
		set(&(struct range){ start, end, 0, true, left.ran, left.again });
}

/* ---- files --------------------------------------------------------------- */

/* The number of a file; 0 without memory for a new one. */
static uint32_t number_of(const struct file *file)
{
	/* From the end: a new mapping is mostly of a file that was mapped last. */
	for (uint32_t i = files_count; i-- > 0;)
		/*
		 * The struct has four uint64_t and so no padding; bytes can be compared.
		 */
		if (!memcmp(&files[i], file, sizeof(*file)))
			return i + 1;
	if (files_count == files_allocated) {
		uint32_t n = files_allocated * 2 + 32;
		struct file *grown = realloc(files, n * sizeof(*grown));

		if (!grown)
			return 0;
		files = grown;
		files_allocated = n;
	}
	files[files_count++] = *file;
	return files_count;
}

struct code_file maps_file(uint32_t file)
{
	const struct file *found = &files[file - 1];

	return (struct code_file){ found->dev, found->ino, found->distance };
}

/* Anonymous shared memory has the path /dev/zero. */
static bool has_file(const struct proc_map *map)
{
	return map->path[0] == '/' && strncmp(map->path, "/dev/zero", 9) != 0;
}

/* The file of a map, and *module; guest addresses are `distance` below the host's. */
static uint32_t identify(const struct proc_map *map, uint64_t distance,
			 struct maps_module *module)
{
	/*
	 * The kernel merges adjacent mappings of the same kind, so QEMU's own memory may
	 * be in front of the guest's. Guest addresses below 0 do not exist: that part is
	 * cut off.
	 */
	uint64_t own = map->start < distance ? distance - map->start : 0;
	uint64_t start = map->start + own - distance;
	struct file file = { map->dev, map->ino, 0, start - map->file_off };

	*module = (struct maps_module){
		.start = start,
		.end = map->end - distance,
		.path = "",
	};
	if (!has_file(map))
		return 0;
	module->file_off = map->file_off;
	module->path = map->path;
	/*
	 * The numbers of stat(), not those of the map, which differ on some file systems:
	 * the collector's orders name files by stat().
	 */
	if (map->found) {
		module->dev = map->st.st_dev;
		module->ino = map->st.st_ino;
		module->mtime_ns = timespec_ns(map->st.st_mtim);
	}
	file.mtime_ns = module->mtime_ns;
	return number_of(&file);
}

/* ---- finding ------------------------------------------------------------- */

/*
 * Whether the collector knows that this file is in all of the range. The range may
 * consist of several known pieces side by side.
 */
static bool was_told(const struct maps_module *module, uint32_t file)
{
	uint64_t told = module->start;

	for (size_t at = first_behind(told); at < count && told < module->end; at++) {
		if (ranges[at].start > told || ranges[at].file != file)
			return false;
		told = ranges[at].end;
	}
	return told >= module->end;
}

/* Adds a range that was looked up now; true when it is new. */
static bool note(struct maps_module *module, struct code_origin *origin)
{
	uint32_t file = origin->file;
	struct mixture before = mixture_of(module->start, module->end, file);
	bool is_new = file ? !was_told(module, file) : before.files;

	/*
	 * Sticky: once code of two files ran at a place, every later block there is kept
	 * apart.
	 */
	origin->again = before.again || before.files || (file && before.ran);
	module->bare_before = file && before.bare;
	module->bare_first = !file && !before.any;
	set(&(struct range){ module->start, module->end, file, true, true,
			     origin->again });
	return is_new;
}

bool maps_find(uint64_t address, const void *host_pointer, struct code_origin *origin,
	       struct maps_module *module)
{
	struct range *range = range_at(address);
	uint64_t host = (uintptr_t)host_pointer;
	struct proc_map map;

	module->bare_first = false;
	/* The usual case: no system call. */
	if (range && range->sure) {
		range->ran = true;
		*origin = (struct code_origin){ range->file, range->again };
		return false;
	}
	if (host && proc_maps_find(host, &map)) {
		origin->file = identify(&map, host - address, module);
		return note(module, origin);
	}
	/*
	 * Neither the kernel nor a host address shows what is there. Code keeps the last
	 * known file's number, and counts as code that may have changed.
	 */
	*origin = (struct code_origin){ range ? range->file : 0, range };
	return false;
}
