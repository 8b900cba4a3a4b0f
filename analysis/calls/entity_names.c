// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Names are made before anything is written, because nearly all of them are needed and a
 * format that is half written cannot report an error. Control characters are replaced:
 * names come from anywhere, and the formats are made of lines.
 */
#include "analysis/calls/entity_names.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "out/text.h"

int entity_names_init(struct entity_names *names, const struct sites *sites,
		      struct wm_error *err)
{
	/* A damaged trace may run blocks that its counts do not have. */
	const char *none = sites_hidden(sites) ? "[runtime]" : "[unknown]";

	names->n = sites_entities(sites);
	names->all = calloc(names->n + 1ul, sizeof(*names->all));
	for (uint32_t i = 0; names->all && i <= names->n; i++) {
		names->all[i] = i ? sites_name(sites, i) : strdup(none);
		if (!names->all[i])
			return wm_fail_nomem(err, "names");
		text_make_line(names->all[i]);
	}
	return names->all ? 0 : wm_fail_nomem(err, "names");
}

void entity_names_fini(struct entity_names *names)
{
	for (uint32_t i = 0; names->all && i <= names->n; i++)
		free(names->all[i]);
	free(names->all);
}
