// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * An interpreter that is made at run time can only be looked at in the guest, by an agent of
 * the runtime's guide, which tells the sites before the interpreter's first instruction
 * runs: what QEMU has translated by then has none.
 *
 * The guest is not trusted: a note has at most as many sites as bytes.
 */
#include "plugin/core/sites.h"

#include <stdlib.h>

#include "base/bisect.h"

/* What an interpreter has before its first site, or behind its last one: bytes. */
#define AROUND (64u << 10)

static uint64_t *sites; /* [n_sites] ascending */
static size_t n_sites;
static bool step;

static int by_address(const void *one, const void *other)
{
	const uint64_t *a = one, *b = other;

	return (*a > *b) - (*a < *b);
}

void sites_take(struct span data)
{
	uint64_t *grown = reallocarray(sites, n_sites + span_left(&data), sizeof(*grown));
	size_t n = n_sites;
	uint64_t address = 0;

	if (!grown)
		return;
	sites = grown;
	while (span_left(&data) && !data.failed) {
		address += span_varint(&data);
		sites[n++] = address;
	}
	if (data.failed)
		return;
	n_sites = n;
	if (n)
		qsort(sites, n, sizeof(*sites), by_address);
}

void sites_take_steps(struct span data)
{
	sites_take(data);
	step = n_sites;
}

bool sites_step(void)
{
	return step;
}

bool sites_has(uint64_t address)
{
	size_t i = BISECT(n_sites, k, sites[k] < address);

	return i < n_sites && sites[i] == address;
}

bool sites_near(uint64_t address)
{
	return n_sites && address + AROUND >= sites[0] &&
	       address <= sites[n_sites - 1] + AROUND;
}
