/* SPDX-License-Identifier: GPL-2.0-or-later */
/* User-mode emulation: the guest is one process of Linux, whose memory is in this one. */
#ifndef PLUGIN_USER_USER_H
#define PLUGIN_USER_USER_H

#include "plugin/core/emulation.h"

extern const struct emulation user_emulation;

#endif
