/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the collector's orders (format/orders.h) say of a file's code, by guest address:
 * where it is recorded, and where windows have their points. Callers hold link_lock().
 */
#ifndef PLUGIN_PLACES_H
#define PLUGIN_PLACES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "format/orders.h"

/* A point of a window. */
struct places_point {
	uint64_t address;
	uint32_t sense, window; /* enum order_sense: ORDER_FROM or ORDER_TO */
};

/* `program` is the path of the guest program. */
void places_init(const struct orders *orders, const char *program);
/* Whether there are any orders by place, so that the others are worth a call. */
bool places_any(void);
/*
 * Whether code of file number `file` (of maps_place) at `address` is recorded; *until is
 * up to where that holds, exclusive.
 */
bool places_recorded(uint32_t file, uint64_t address, uint64_t *until);
/* The points from `start` to `end`, exclusive, in the order of addresses: *n of them. */
const struct places_point *places_points(uint32_t file, uint64_t start, uint64_t end,
					 size_t *n);

#endif
