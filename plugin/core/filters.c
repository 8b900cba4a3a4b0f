// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * For each file, the orders become two sorted arrays: the addresses at which recording of
 * the file's code switches on or off, and the points of windows. Look-ups are binary
 * searches. The arrays are rebuilt when the collector has added orders, which it does
 * when files are mapped.
 *
 * Example: --only of [0x100, 0x200) and --except of [0x180, 0x190) in a file that is
 * mapped 0x4000 above its offsets give the changes
 *	0x4100 on, 0x4180 off, 0x4190 on, 0x4200 off
 * because an address is recorded when at least one "only" and no "except" contains it.
 * The two ranges are four edges, +1 or -1 to the count of their kind, sorted by address;
 * an edge is a change when it alters the answer.
 */
#include "plugin/core/filters.h"

#include <stdlib.h>
#include <sys/stat.h>

#include "base/bisect.h"

/* Files are mapped by pages: what is this far into one is so wherever it is mapped. */
enum { PAGE_BYTES = 4096 };

/* From `address` on code is recorded, or not. */
struct change {
	uint64_t address;
	bool recorded;
};

struct file_filters {
	struct change *changes;
	struct window_point *points, *values;
	size_t n_changes, n_points, n_values;
	uint32_t known;	     /* orders that have been taken into account */
	bool made, recorded; /* before the first change */
};

/* One end of a range. */
struct edge {
	uint64_t address;
	int only, except; /* 1: it begins, -1: it ends */
};

static const struct orders *orders;
static struct code_file (*find_file)(uint32_t file);
static uint64_t program_dev, program_ino;
static struct file_filters *files; /* [files_count] by number */
static uint32_t files_count;

void filters_init(const struct orders *from, const char *program,
		  struct code_file (*finder)(uint32_t file))
{
	struct stat st;

	orders = from;
	find_file = finder;
	if (stat(program, &st) < 0)
		return;
	program_dev = st.st_dev;
	program_ino = st.st_ino;
}

bool filters_any(void)
{
	/*
	 * The acquire load pairs with the collector's store of the count: the places
	 * below it are complete.
	 */
	return orders->has_only || orders->program_only ||
	       atomic_load_explicit(&orders->places, memory_order_acquire);
}

bool filters_by_file(void)
{
	return orders->by_file;
}

static uint32_t known_places(void)
{
	uint32_t known = atomic_load_explicit(&orders->places, memory_order_acquire);

	/* The count is in shared memory, which the guest can overwrite. */
	return known < ORDER_PLACES_MAX ? known : ORDER_PLACES_MAX;
}

bool filters_name(uint64_t dev, uint64_t ino)
{
	uint32_t known = known_places();

	for (uint32_t i = 0; i < known; i++)
		if (orders->place[i].dev == dev && orders->place[i].ino == ino)
			return true;
	return false;
}

static int by_address(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static bool concerns(const struct order_place *order, const struct code_file *file)
{
	/*
	 * An order without a file is a range of addresses, which holds wherever the code
	 * comes from.
	 */
	return (!order->dev && !order->ino) ||
	       (file->ino && order->dev == file->dev && order->ino == file->ino);
}

/* Adds one of the collector's orders: a point, or the two edges of a range. */
static void take(struct file_filters *mine, const struct order_place *order,
		 const struct code_file *file, struct edge *edges, size_t *n_edges)
{
	/*
	 * Ranges in a file are in the file's own addresses; ranges without one are
	 * absolute already.
	 */
	uint64_t distance = order->dev || order->ino ? file->distance : 0;
	uint64_t start = order->start + distance;

	/*
	 * A point must not become an edge: it cuts a block but does not change what is
	 * recorded.
	 */
	if (order->sense == ORDER_VALUE) {
		mine->values[mine->n_values++] =
			(struct window_point){ start, order->sense, order->window };
		return;
	}
	if (order_is_point(order->sense)) {
		mine->points[mine->n_points++] =
			(struct window_point){ start, order->sense, order->window };
		return;
	}
	edges[*n_edges] = (struct edge){ start, order->sense == ORDER_ONLY,
					 order->sense == ORDER_EXCEPT };
	edges[*n_edges + 1] = (struct edge){ order->end + distance, -edges[*n_edges].only,
					     -edges[*n_edges].except };
	*n_edges += 2;
}

static void lay_out(struct file_filters *mine, struct edge *edges, size_t n)
{
	/* When all of the file is recorded, an implicit "only" contains every address. */
	int only = mine->recorded, except = 0;
	bool recorded = mine->recorded;

	qsort(edges, n, sizeof(*edges), by_address);
	for (size_t i = 0; i < n; i++) {
		only += edges[i].only;
		except += edges[i].except;
		/*
		 * Edges at one address take effect together: a range that ends where the
		 * next begins causes no change.
		 */
		if (i + 1 < n && edges[i + 1].address == edges[i].address)
			continue;
		/* This also drops edges inside overlapping ranges of the same kind. */
		if ((only > 0 && !except) == recorded)
			continue;
		recorded = !recorded;
		mine->changes[mine->n_changes++] =
			(struct change){ edges[i].address, recorded };
	}
}

/* Whether a file's code is recorded outside of all ranges. */
static bool is_recorded(uint32_t number, const struct code_file *file)
{
	if (orders->has_only)
		return false;
	return !orders->program_only || !number ||
	       (file->dev == program_dev && file->ino == program_ino);
}

static bool has_room(const struct file_filters *mine)
{
	return mine->changes && mine->points && mine->values;
}

static void drop(struct file_filters *mine)
{
	free(mine->changes);
	free(mine->points);
	free(mine->values);
	*mine = (struct file_filters){ .made = false };
}

void filters_forget(uint32_t file)
{
	if (file < files_count)
		drop(&files[file]);
}

/* Of the first `known` orders, how many concern the file. */
static size_t count_orders(const struct code_file *file, uint32_t known)
{
	size_t n = 0;

	for (uint32_t i = 0; i < known; i++)
		n += concerns(&orders->place[i], file);
	return n;
}

/* Without memory, is_recorded() decides for all of the file. */
static void make(struct file_filters *mine, uint32_t number, uint32_t known)
{
	struct code_file file = { 0 };
	struct edge *edges;
	size_t n_edges = 0, n;

	if (number)
		file = find_file(number);
	/*
	 * Each order adds at most two edges or one point, so these sizes are upper
	 * bounds. The 1 avoids malloc(0), whose NULL would look like a failure.
	 */
	n = count_orders(&file, known) + 1;
	edges = malloc(2 * n * sizeof(*edges));
	drop(mine);
	*mine = (struct file_filters){
		.changes = malloc(2 * n * sizeof(*mine->changes)),
		.points = malloc(n * sizeof(*mine->points)),
		.values = malloc(n * sizeof(*mine->values)),
		.known = known,
		.made = true,
		.recorded = is_recorded(number, &file),
	};
	for (uint32_t i = 0; edges && has_room(mine) && i < known; i++)
		if (concerns(&orders->place[i], &file))
			take(mine, &orders->place[i], &file, edges, &n_edges);
	if (n_edges)
		lay_out(mine, edges, n_edges);
	if (mine->n_points)
		qsort(mine->points, mine->n_points, sizeof(*mine->points), by_address);
	if (mine->n_values)
		qsort(mine->values, mine->n_values, sizeof(*mine->values), by_address);
	free(edges);
}

/* A file's arrays, up to date; NULL without memory. */
static const struct file_filters *of(uint32_t number)
{
	uint32_t known = known_places();

	if (number >= files_count) {
		/*
		 * File numbers are dense and grow by one, so a constant step keeps
		 * reallocations rare.
		 */
		uint32_t n = number + 32;
		struct file_filters *grown = realloc(files, n * sizeof(*grown));

		if (!grown)
			return NULL;
		for (uint32_t i = files_count; i < n; i++)
			grown[i] = (struct file_filters){ .made = false };
		files = grown;
		files_count = n;
	}
	if (!files[number].made || files[number].known != known)
		make(&files[number], number, known);
	return &files[number];
}

/*
 * Index of the first item whose address is not below `address`, in a sorted array. The
 * address is an item's first member, as for by_address().
 */
static size_t first_from(const void *items, size_t n, size_t bytes, uint64_t address)
{
	const char *first = items;

	return BISECT(n, i, by_address(first + i * bytes, &address) < 0);
}

bool filters_recorded(uint32_t number, uint64_t address, uint64_t *until)
{
	const struct file_filters *mine = of(number);
	size_t behind;

	*until = UINT64_MAX;
	if (!mine)
		return true;
	/*
	 * The last change at or before `address` decides, so the search is for the first
	 * one after it.
	 */
	behind = first_from(mine->changes, mine->n_changes, sizeof(*mine->changes),
			    address + 1);
	if (behind < mine->n_changes)
		*until = mine->changes[behind].address;
	return behind ? mine->changes[behind - 1].recorded : mine->recorded;
}

bool filters_cut(uint64_t after, uint64_t address)
{
	static bool cuts[PAGE_BYTES];
	static uint32_t known; /* orders that are in there */
	uint32_t n = atomic_load_explicit(&orders->places, memory_order_acquire);

	for (; known < n && known < ORDER_PLACES_MAX; known++) {
		const struct order_place *place = &orders->place[known];

		cuts[place->start % PAGE_BYTES] = true;
		if (!order_is_point(place->sense))
			cuts[place->end % PAGE_BYTES] = true;
	}
	while (after != address)
		if (cuts[++after % PAGE_BYTES])
			return true;
	return false;
}

/* Those of sorted points[count] in [start, end). */
static const struct window_point *within(const struct window_point *points, size_t count,
					 uint64_t start, uint64_t end, size_t *n)
{
	size_t first = first_from(points, count, sizeof(*points), start);

	*n = first_from(points, count, sizeof(*points), end) - first;
	return *n ? &points[first] : NULL;
}

const struct window_point *filters_points(uint32_t number, uint64_t start, uint64_t end,
					  size_t *n)
{
	const struct file_filters *mine = of(number);

	*n = 0;
	return mine ? within(mine->points, mine->n_points, start, end, n) : NULL;
}

const struct window_point *filters_values(uint32_t number, uint64_t start, uint64_t end,
					  size_t *n)
{
	const struct file_filters *mine = of(number);

	*n = 0;
	return mine ? within(mine->values, mine->n_values, start, end, n) : NULL;
}
