/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the collector's orders (format/orders.h) say of a file's code, by guest address:
 * where it is recorded, and where windows have their points. Callers hold link_lock().
 */
#ifndef PLUGIN_CORE_FILTERS_H
#define PLUGIN_CORE_FILTERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "format/orders.h"
#include "plugin/core/emulation.h"

/* A point of a window. */
struct window_point {
	uint64_t address;
	uint32_t sense, window; /* enum order_sense: ORDER_FROM or ORDER_TO */
};

/* `program` is the path of the guest program; `find_file` is the emulation's. */
void filters_init(const struct orders *orders, const char *program,
		  struct code_file (*find_file)(uint32_t file));
/* Whether there are any orders by place, so that the others are worth a call. */
bool filters_any(void);
/*
 * Whether code of file number `file` (of a code_origin) at `address` is recorded; *until is
 * up to where that holds, exclusive.
 */
bool filters_recorded(uint32_t file, uint64_t address, uint64_t *until);
/* The points from `start` to `end`, exclusive, in the order of addresses: *n of them. */
const struct window_point *filters_points(uint32_t file, uint64_t start, uint64_t end,
					  size_t *n);

#endif
