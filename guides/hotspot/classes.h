/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Classes: what they extend, which methods they have, and what their code calls. */
#ifndef GUIDES_HOTSPOT_CLASSES_H
#define GUIDES_HOTSPOT_CLASSES_H

#include "guides/hotspot/vm.h"

/* Tells the class that has this Method, if the layout of classes is known. */
void classes_tell(const struct vm *vm, const char *method);

#endif
