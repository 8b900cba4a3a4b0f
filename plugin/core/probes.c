// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Every event is also a static probe (SDT) that SystemTap, perf or bpftrace can attach
 * to. A probe that nobody has attached to costs one load of its semaphore.
 *
 * STAP_PROBEV() of sys/sdt.h takes arguments one by one, and the table of events does not
 * number its fields. The compiler's __COUNTER__ does that: `end` is its value when the
 * arguments have been expanded, so `past[counter - end]` indexes fields back from the
 * end.
 *
 * Example: an event of two fields expands to past[0 - 2], past[1 - 2]: with `past` just
 * after the array of fields, these are fields[0] and fields[1].
 */
#include "plugin/core/probes.h"

#ifdef HAVE_SDT
#define SDT_USE_VARIADIC
#define _SDT_HAS_SEMAPHORES 1
#include <sys/sdt.h>

#define EVENT(number, NAME, name, OF, STATE, format, fields)     \
	__attribute__((section(".probes"), visibility("hidden"), \
		       used)) volatile unsigned short waymark_##name##_semaphore;
#include EVENTS_DEF
#undef EVENT

#define NUMBER_AT past[__COUNTER__ - end]
#define VALUE_UNSIGNED NUMBER_AT
#define VALUE_SIGNED (int64_t) NUMBER_AT
#define VALUE_HEX NUMBER_AT
#define VALUE_CALL NUMBER_AT
#define VALUE_SIGNAL NUMBER_AT
#define VALUE_TEXT text
#define FIELD(TYPE, name) , VALUE_##TYPE
#define WORDS(name, ...) , NUMBER_AT

void probes_fire(uint32_t kind, const uint64_t *fields, unsigned n, const char *text)
{
	const uint64_t *past = fields + n;

	text = text ? text : "";
	switch (kind) {
#define EVENT(number, NAME, name, OF, STATE, format, values) \
	case number:                                         \
		if (waymark_##name##_semaphore) {            \
			enum { end = __COUNTER__ };          \
			STAP_PROBEV(waymark, name values);   \
		}                                            \
		break;
#include EVENTS_DEF
#undef EVENT
	}
}
#endif
