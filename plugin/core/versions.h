/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Code that is not what was translated at its address before. Callers hold link_lock(). */
#ifndef PLUGIN_CORE_VERSIONS_H
#define PLUGIN_CORE_VERSIONS_H

#include "plugin/core/tb_code.h"

/*
 * Notes what is translated, and tells when the bytes at its address are others than last
 * time. A block that is only longer or shorter than the one before has no other bytes.
 */
void versions_note(const struct tb_code *tb_code);

#endif
