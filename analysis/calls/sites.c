// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Looks up rows and entities, which sites_make.c has made. Nothing is changed here, so
 * any number of threads may call these functions at the same time.
 *
 * The name of an entity is the name of its function. Where there is no symbol, the
 * function stands for a whole file, and the entity's offset distinguishes its parts.
 * Example: function "[libfoo.so]" with offset 0x1234 is "[libfoo.so]+0x1234".
 */
#include "analysis/calls/interpreted.h"
#include "analysis/calls/sites-data.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/pattern.h"

static void free_table(struct site_table *table)
{
	free(table->rows);
	free(table->steps);
}

struct sites *sites_share(struct sites *sites)
{
	sites->shares++;
	return sites;
}

void sites_free(struct sites *sites)
{
	if (!sites || sites->shares--)
		return;
	for (uint32_t i = 0; i < sites->n_tables; i++)
		free_table(&sites->tables[i]);
	free(sites->tables);
	free(sites->table_of);
	free(sites->nexts);
	free(sites->first);
	free(sites->entities);
	free(sites->hidden);
	u64map_fini(&sites->places);
	interpreted_free(sites->interpreted);
	strands_fini(&sites->strands);
	free(sites);
}

const struct site *sites_of(const struct sites *sites, uint32_t space)
{
	return sites_table(sites, space)->rows;
}

const struct site_table *sites_table(const struct sites *sites, uint32_t space)
{
	return &sites->tables[sites->table_of[space]];
}

void site_steps(struct site_step *steps, const struct site *rows, size_t n)
{
	for (size_t i = 0; i < n; i++)
		steps[i] = (struct site_step){ rows[i].word, rows[i].insns };
}

const struct strands *sites_strands(const struct sites *sites)
{
	return &sites->strands;
}

uint32_t sites_last(const struct sites *sites)
{
	return sites->known + sites->n_nexts;
}

const struct site *sites_at(const struct sites *sites, uint32_t space, uint64_t address)
{
	/* Places count from 1; 0 is an address where no block begins or ends. */
	uint32_t place = u64map_get(&sites->places, address);

	if (!place)
		return NULL;
	return sites
		->first[(size_t)sites->table_of[space] * (sites->n_places + 1) + place];
}

const struct interpreted *sites_interpreted(const struct sites *sites)
{
	return sites->interpreted;
}

uint32_t sites_entities(const struct sites *sites)
{
	/* entities[0] is no entity, and exists as soon as there is another. */
	return sites->n_entities ? sites->n_entities - 1 : 0;
}

const struct entity *sites_entity(const struct sites *sites, uint32_t number)
{
	return &sites->entities[number];
}

char *sites_name(const struct sites *sites, uint32_t number)
{
	const struct function *function;
	const struct entity *entity;
	char *name;

	if (!number)
		return strdup("");
	entity = sites_entity(sites, number);
	/* Only code without a symbol has parts that need an offset. */
	function = functions_get(sites->functions, entity->function);
	if (function->symbol || !entity->offset)
		return strdup(function->name);
	if (asprintf(&name, "%s+0x%llx", function->name,
		     (unsigned long long)entity->offset) < 0)
		return NULL;
	return name;
}

bool sites_match(const struct sites *sites, uint32_t number, const char *pattern)
{
	const struct entity *entity;
	char *name;
	bool fits;

	if (!number)
		return false;
	entity = sites_entity(sites, number);
	/*
	 * "[libfoo.so]" matches all entities of that file, "[libfoo.so]+0x1234" just one.
	 */
	if (functions_match(sites->functions, entity->function, pattern))
		return true;
	/* With offset 0 the name is the function's, which did not match. */
	name = entity->offset ? sites_name(sites, number) : NULL;
	fits = name && pattern_fits(pattern, name);
	free(name);
	return fits;
}
