/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A static probe (USDT) for each kind of event, provider waymark, for SystemTap, bpftrace
 * and perf. Its arguments are the event's numbers, then the address of its text if it has
 * one. A tracer raises the probe's semaphore; until then a probe costs a load and a
 * branch not taken.
 *
 * Without sys/sdt.h at build time there are no probes.
 */
#ifndef PLUGIN_CORE_PROBES_H
#define PLUGIN_CORE_PROBES_H

#include <stdbool.h>
#include <stdint.h>

#include "format/events.h"

#ifdef HAVE_SDT
#define EVENT(number, NAME, name, OF, STATE, format, fields)      \
	extern volatile unsigned short waymark_##name##_semaphore \
		__attribute__((visibility("hidden")));
#include EVENTS_DEF
#undef EVENT

/* Whether this kind of event is traced. `kind` must be a compile-time constant. */
static inline bool probes_on(unsigned kind)
{
	switch (kind) {
#define EVENT(number, NAME, name, OF, STATE, format, fields) \
	case number:                                         \
		return waymark_##name##_semaphore;
#include EVENTS_DEF
#undef EVENT
	}
	return false;
}

/* Fires the probe of an event with n numbers, if it is traced. `text` may be NULL. */
void probes_fire(uint32_t kind, const uint64_t *fields, unsigned n, const char *text);
#else
static inline bool probes_on(unsigned kind)
{
	(void)kind;
	return false;
}

static inline void probes_fire(uint32_t kind, const uint64_t *fields, unsigned n,
			       const char *text)
{
	(void)kind, (void)fields, (void)n, (void)text;
}
#endif

#endif
