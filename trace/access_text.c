// SPDX-License-Identifier: GPL-2.0-or-later
/* Commands, exports and the comparison of runs name kinds and write data by these. */
#include "trace/access_text.h"

#include <inttypes.h>
#include <stdio.h>

const char *access_kind(const struct wm_access *access)
{
	/* A decoder hands out no other kind. */
	static const char *const kinds[] = {
		[WM_ACCESS_LOAD] = "load",	   [WM_ACCESS_STORE] = "store",
		[WM_ACCESS_REGISTER] = "register", [WM_ACCESS_WRITTEN] = "written",
		[WM_ACCESS_MEMORY] = "memory",	   [WM_ACCESS_RETURNED] = "returned",
	};

	return kinds[access->kind];
}

bool access_is_register(const struct wm_access *access)
{
	return access->kind > WM_ACCESS_STORE && access->kind != WM_ACCESS_MEMORY;
}

const char *access_value(char text[ACCESS_VALUE_TEXT], const struct wm_access *access)
{
	if (!access->has_data)
		return "";
	if (access->size > 8)
		snprintf(text, ACCESS_VALUE_TEXT, "0x%016" PRIx64 "%016" PRIx64,
			 access->data[1], access->data[0]);
	else
		snprintf(text, ACCESS_VALUE_TEXT, "0x%0*" PRIx64, 2 * access->size,
			 access->data[0]);
	return text;
}
