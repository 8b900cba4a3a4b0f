// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The version of the library that a program runs with, which may be another one than that
 * of the header it was compiled with. The build makes both from one place, so they cannot
 * disagree within one release (tests/unit/test_explain.c).
 */
#include "waymark.h"

unsigned wm_version(void)
{
	return WM_VERSION;
}

const char *wm_version_text(void)
{
	return WAYMARK_VERSION;
}
