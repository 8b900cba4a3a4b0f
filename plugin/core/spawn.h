/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Starts a collector from inside QEMU, for a plugin loaded by hand. */
#ifndef PLUGIN_CORE_SPAWN_H
#define PLUGIN_CORE_SPAWN_H

/*
 * Starts `waymark collect` (the command `waymark`, or the one that belongs to this
 * plugin when NULL) writing to `out`, and waits until it is ready. Returns the arena's
 * descriptor, or -1 after a sentence on stderr.
 */
int spawn_collector(const char *out, const char *waymark);

#endif
