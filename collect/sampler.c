// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * How often each block ran since the same client asked last. Nothing is counted for it:
 * chunks have histograms anyway. Sums of finished chunks are kept from the first
 * question on; a client gets those sums, and what unfinished chunks have, less what it
 * got last time.
 *
 * 	asked	sums	last before	answer
 * 	t=1	10	0		10
 * 	t=2	25	10		15
 */
#include "collect/sampler.h"

#include <stdlib.h>
#include <string.h>

void sampler_fini(struct sampler *sampler)
{
	for (unsigned i = 0; i < SAMPLER_ASKERS; i++)
		free(sampler->askers[i].last);
	free(sampler->totals);
}

/* Makes array[*n] longer, with zeros; NULL: no memory, and it stays as it was. */
static uint64_t *lengthen(uint64_t *array, uint32_t *n, uint32_t to)
{
	uint64_t *grown = reallocarray(array, to, sizeof(*array));

	if (!grown)
		return NULL;
	memset(grown + *n, 0, (to - *n) * sizeof(*array));
	*n = to;
	return grown;
}

static bool grow(struct sampler *sampler, uint32_t known)
{
	uint64_t *grown;

	if (known < sampler->allocated)
		return true;
	grown = lengthen(sampler->totals, &sampler->allocated, known + known / 4 + 4096);
	if (grown)
		sampler->totals = grown;
	return grown;
}

uint64_t *sampler_pass(struct sampler *sampler, uint32_t known)
{
	/*
	 * Without memory the sums miss a chunk; the recording itself does not fail.
	 * Nobody has asked yet: no sums are kept, and a chunk costs nothing here.
	 */
	return sampler->totals && grow(sampler, known) ? sampler->totals : NULL;
}

uint64_t *sampler_sums(struct sampler *sampler, uint32_t known)
{
	uint64_t *sums = NULL;

	if (grow(sampler, known))
		/* Ids are 1..known; entry 0 is unused. */
		sums = malloc((known + 1ul) * sizeof(*sums));
	if (sums)
		memcpy(sums, sampler->totals, (known + 1ul) * sizeof(*sums));
	return sums;
}

/*
 * A client that is not known replaces the one that asked longest ago, and starts from
 * zero.
 */
static struct sampler_asker *find_asker(struct sampler *sampler, uint32_t pid)
{
	struct sampler_asker *found = sampler->askers;

	for (unsigned i = 0; i < SAMPLER_ASKERS; i++) {
		struct sampler_asker *asker = &sampler->askers[i];

		/*
		 * A process id may be reused by another client: its first answer then
		 * covers a longer time, which does no harm.
		 */
		if (asker->pid == pid)
			return asker;
		if (asker->asked < found->asked)
			found = asker;
	}
	free(found->last);
	*found = (struct sampler_asker){ .pid = pid };
	return found;
}

uint64_t *sampler_differ(struct sampler *sampler, uint32_t pid, uint64_t *sums,
			 uint32_t known)
{
	struct sampler_asker *asker = find_asker(sampler, pid);
	/*
	 * `last` becomes the answer: it has the right size and is not needed any more,
	 * because `sums` takes its place.
	 */
	uint32_t n = asker->last ? asker->known + 1 : 0;
	uint64_t *last = asker->last;

	if (n < known + 1)
		last = lengthen(last, &n, known + 1);
	if (!last) {
		free(sums);
		return NULL;
	}
	/*
	 * After a chunk was missed for lack of memory, sums may be smaller than before.
	 */
	for (uint32_t id = 0; id <= known; id++)
		last[id] = sums[id] > last[id] ? sums[id] - last[id] : 0;
	asker->asked = ++sampler->questions;
	asker->last = sums;
	asker->known = known;
	return last;
}

struct weighed {
	struct sample_row row;
	uint64_t weight;
};

static int compare_weights(const void *a, const void *b)
{
	const struct weighed *one = a, *other = b;

	if (one->weight != other->weight)
		return one->weight < other->weight ? 1 : -1;
	/* Ties by id, so the order does not depend on qsort(). */
	return one->row.id < other->row.id ? -1 : 1;
}

/* The *n blocks that ran at all. NULL: no memory. */
static struct weighed *weigh(const uint64_t *differences, const uint16_t *weights,
			     uint32_t known, size_t *n)
{
	struct weighed *found;
	size_t most = 0;

	for (uint32_t id = 1; id <= known; id++)
		most += differences[id] != 0;
	found = calloc(most + 1, sizeof(*found));
	*n = 0;
	for (uint32_t id = 1; found && id <= known; id++)
		if (differences[id])
			found[(*n)++] = (struct weighed){ { id, differences[id] },
							  differences[id] * weights[id] };
	return found;
}

bool sampler_top(const uint64_t *differences, const uint16_t *weights, uint32_t known,
		 size_t most, struct sample_row **rows, size_t *n)
{
	struct weighed *found = weigh(differences, weights, known, n);

	if (!found)
		return false;
	qsort(found, *n, sizeof(*found), compare_weights);
	if (*n > most)
		*n = most;
	*rows = calloc(*n + 1, sizeof(**rows));
	for (size_t i = 0; *rows && i < *n; i++)
		(*rows)[i] = found[i].row;
	free(found);
	return *rows;
}
