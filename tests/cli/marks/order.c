/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a compiler would like to move, between markers. See marks.sh. */
#include "waymark-mark.h"

/* Stores that could be one, and loads that could be none. */
long memory(long *a, long *b)
{
	long sum = 0;

	*a = 1;
	WAYMARK_BEGIN(1);
	*a = 2;
	*b = 3;
	WAYMARK_END(1);
	sum += *a;
	WAYMARK_POINT(2);
	sum += *a;
	return sum;
}

/* A product that is only wanted after the end. */
long value(long x, long y)
{
	WAYMARK_BEGIN(3);
	WAYMARK_VALUE(x);
	x *= y;
	WAYMARK_VALUE(x);
	WAYMARK_END(3);
	return x;
}
