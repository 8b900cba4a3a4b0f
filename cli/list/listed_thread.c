// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The remark that of several threads only one is listed. Whoever lists a program with several
 * threads without options sees one of them, which is easily taken for all of it. So the
 * remark is not for terminals alone: a file of such a listing looks complete, too.
 */
#include "cli/list/listed_thread.h"

#include "cli/fail.h"

void remark_listed_thread(unsigned n, unsigned thread, const char *besides)
{
	if (n > 1)
		remark("of %u threads only thread %u is listed; --thread chooses "
		       "another%s",
		       n, thread, besides);
}
