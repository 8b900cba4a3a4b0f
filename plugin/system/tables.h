/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The page tables by which the machine's harts translate addresses. */
#ifndef PLUGIN_SYSTEM_TABLES_H
#define PLUGIN_SYSTEM_TABLES_H

#include "plugin/qemu_api.h"

/* Adds a callback to a block in which the hart turns to another table. */
void tables_instrument(struct qemu_plugin_tb *tb);

#endif
