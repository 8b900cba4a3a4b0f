// SPDX-License-Identifier: GPL-2.0-or-later
/* All of it is in the program or in a library that it is linked with, under a name that all can see. */
#define _GNU_SOURCE
#include "guides/cpython/api.h"

#include <dlfcn.h>

struct api py;

bool api_find(void)
{
#define FIND(type, name, arguments)                                         \
	py.name = (type(*) arguments)(uintptr_t)dlsym(RTLD_DEFAULT, #name); \
	if (!py.name)                                                       \
		return false;
	FUNCTIONS(FIND)
#undef FIND
#define FIND(name)                            \
	py.name = dlsym(RTLD_DEFAULT, #name); \
	if (!py.name)                         \
		return false;
	OBJECTS(FIND)
#undef FIND
	return true;
}
