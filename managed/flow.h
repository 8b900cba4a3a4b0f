/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a bytecode may lead to, as far as its method says that. */
#ifndef MANAGED_FLOW_H
#define MANAGED_FLOW_H

#include "managed/units.h"

struct unit_flow {
	struct unit_ways to; /* in the method */
	bool runs;	     /* other methods may run first: it calls, or loads a class */
	bool throws;
	bool returns;
};

/* False: what comes after it is not known. */
bool unit_flow(const struct unit *unit, uint32_t offset, struct unit_flow *flow);
/* Whether it calls a method. */
bool unit_calls(const struct unit *unit, uint32_t offset);
/* Whether the bytecode before the one at `offset` may be a call that came back there. */
bool unit_is_resumed(const struct unit *unit, uint32_t offset);

#endif
