/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Recording what QEMU translates and runs: the callbacks that every emulation has. */
#ifndef PLUGIN_CORE_TRACER_H
#define PLUGIN_CORE_TRACER_H

#include "plugin/core/emulation.h"

/*
 * Starts recording: link_open() has succeeded. `emulation` is static. Returns when the
 * collector is ready for the guest to run.
 */
void tracer_start(qemu_plugin_id_t id, const struct emulation *emulation,
		  const char *target);

#endif
