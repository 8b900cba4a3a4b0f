/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The collector's orders (format/orders.h) about code, by file and guest address: which
 * ranges are recorded, and where windows and values have their points. Callers hold
 * link_lock().
 */
#ifndef PLUGIN_CORE_FILTERS_H
#define PLUGIN_CORE_FILTERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "format/orders.h"
#include "plugin/core/emulation.h"

/* A point of a window, or of a value. */
struct window_point {
	uint64_t address;
	uint32_t sense, window; /* enum order_sense; the window's or value's index */
};

/* `program` is the path of the guest program; `find_file` is the emulation's. */
void filters_init(const struct orders *orders, const char *program,
		  struct code_file (*find_file)(uint32_t file));
/* Whether there are any such orders; without them the other functions need no call. */
bool filters_any(void);
/* Whether files that are mapped may have places: their mapping must wait for the orders. */
bool filters_by_file(void);
/* Whether there are orders about the file with this device and inode. */
bool filters_name(uint64_t dev, uint64_t ino);
/* Code of file number `file` is nowhere now. What is known of it is freed, and made again. */
void filters_forget(uint32_t file);
/*
 * Whether code of file number `file` (of a code_origin) at `address` is recorded. The
 * answer holds up to *until, exclusive.
 */
bool filters_recorded(uint32_t file, uint64_t address, uint64_t *until);
/*
 * Whether a range or a point begins or ends as far into some page as an address behind `after`,
 * up to `address`: an instruction that begins there is the first one behind that bound.
 */
bool filters_cut(uint64_t after, uint64_t address);
/* The *n points in [start, end), by ascending address. Valid until link_unlock(). */
const struct window_point *filters_points(uint32_t file, uint64_t start, uint64_t end,
					  size_t *n);
/* The same of places at which values are recorded. */
const struct window_point *filters_values(uint32_t file, uint64_t start, uint64_t end,
					  size_t *n);

#endif
