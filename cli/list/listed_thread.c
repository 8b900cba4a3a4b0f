// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The remark that of several threads only the first is listed. Whoever lists a program with
 * several threads without options sees one of them, which is easily taken for all of it. So
 * the remark is not for terminals alone: a file of such a listing looks complete, too.
 */
#include "cli/list/first_thread.h"

#include "cli/fail.h"

void remark_first_thread(unsigned n, unsigned thread, const char *besides)
{
	if (n > 1)
		remark("of %u threads the first is listed, %u; --thread chooses another%s",
		       n, thread, besides);
}
