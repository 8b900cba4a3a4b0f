// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * "boot": the steps that a machine's Linux took until its first program ran, as `waymark boot`
 * has them: [begin_ns, ns, insns, kind, name, thread]. A kernel has more than a thousand
 * initcalls, most of which do next to nothing: the longest are shown, in the order in which they
 * began, and the others are counted. The trace of a program has no such section, nor has that of a
 * machine whose kernel has no names.
 *
 * Example with SHOWN = 2 and steps of 5, 1 and 9 ms: the first and the third are shown; "others" is
 * 1, "others_ns" 1,000,000.
 */
#include "analysis/boot/boot.h"

#include <stdlib.h>

#include "base/error.h"
#include "report/section.h"

enum { SHOWN = 400 };

static uint64_t length(const struct boot_step *step)
{
	return step->end_ns - step->begin_ns;
}

/* Descending, and ties as they began, so that the page depends on nothing but the trace. */
static int longer_first(const void *a, const void *b, void *cookie)
{
	const struct boot *boot = cookie;
	uint32_t i = *(const uint32_t *)a, k = *(const uint32_t *)b;
	uint64_t x = length(&boot->steps[i]), y = length(&boot->steps[k]);

	if (x != y)
		return x > y ? -1 : 1;
	return i < k ? -1 : i > k;
}

/* Which steps are shown: [n]; NULL: no memory. */
static bool *choose(struct boot *boot)
{
	bool *shown = calloc(boot->n + 1, sizeof(*shown));
	uint32_t *order = calloc(boot->n + 1, sizeof(*order));

	for (uint32_t i = 0; order && i < boot->n; i++)
		order[i] = i;
	if (order)
		qsort_r(order, boot->n, sizeof(*order), longer_first, boot);
	for (uint32_t i = 0; shown && order && i < boot->n && i < SHOWN; i++)
		shown[order[i]] = true;
	if (!order) {
		free(shown);
		shown = NULL;
	}
	free(order);
	return shown;
}

static void put_step(struct report *report, const struct boot *boot,
		     const struct boot_step *step)
{
	const struct entity *entity = sites_entity(boot->sites, step->entity);
	const struct function *function =
		functions_get(report->ask->functions, entity->function);
	char *name = sites_name(boot->sites, step->entity);
	struct json *json = &report->json;

	json_array(json, NULL);
	json_uint(json, NULL, step->begin_ns - boot->begin_ns);
	json_uint(json, NULL, length(step));
	json_uint(json, NULL, step->insns);
	json_string(json, NULL, step->kind);
	json_uint(json, NULL,
		  name ? labels_add(&report->names, name, function->module) : 0);
	json_uint(json, NULL, step->thread);
	json_close(json);
	free(name);
}

static void put(struct report *report, const struct boot *boot, const bool *shown)
{
	struct json *json = &report->json;
	uint64_t others = 0, others_ns = 0;
	char room[200];

	json_object(json, "boot");
	if (boot->has_program) {
		json_string(json, "program", label_cut(room, boot->program, 190));
		json_uint(json, "program_ns", boot->program_ns - boot->begin_ns);
	}
	json_array(json, "steps");
	for (size_t i = 0; i < boot->n; i++) {
		if (shown[i]) {
			put_step(report, boot, &boot->steps[i]);
			continue;
		}
		others++;
		others_ns += length(&boot->steps[i]);
	}
	json_close(json);
	json_uint(json, "others", others);
	json_uint(json, "others_ns", others_ns);
	json_close(json);
}

int report_boot(struct report *report, struct wm_error *err)
{
	const struct report_ask *ask = report->ask;
	struct boot boot;
	int ret = boot_gather(&boot, ask->trace, ask->functions, ask->selection, err);
	bool *shown = ret || !boot.n ? NULL : choose(&boot);

	if (!ret && boot.n && !shown)
		ret = wm_fail_nomem(err, "a boot");
	if (shown)
		put(report, &boot, shown);
	free(shown);
	boot_fini(&boot);
	/* Of a program there is nothing to show. */
	return ret == WM_E_RANGE ? 0 : ret;
}
