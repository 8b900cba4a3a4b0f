/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Full-system emulation: each hart (vCPU) of the machine is a stream. */
#ifndef PLUGIN_SYSTEM_SYSTEM_H
#define PLUGIN_SYSTEM_SYSTEM_H

#include "plugin/core/emulation.h"

/*
 * Why this machine cannot be recorded exactly, as a sentence; NULL: it can. To be asked
 * before anything else.
 */
const char *system_refuses(const qemu_info_t *info);

extern const struct emulation system_emulation;

#endif
