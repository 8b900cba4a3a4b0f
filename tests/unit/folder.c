// SPDX-License-Identifier: GPL-2.0-or-later
/* A new folder for a group of tests. Nothing may be left in it: see folder.h. */
#include "folder.h"

#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

static char folder[] = "waymark-test-XXXXXX";

int folder_enter(void **state)
{
	(void)state;
	return mkdtemp(folder) && chdir(folder) == 0 ? 0 : -1;
}

int folder_leave(void **state)
{
	(void)state;
	return chdir("..") == 0 ? rmdir(folder) : -1;
}

unsigned folder_files(void)
{
	DIR *dir = opendir(".");
	unsigned n = 0;

	assert_non_null(dir);
	while (readdir(dir))
		n++;
	closedir(dir);
	return n - 2;
}
