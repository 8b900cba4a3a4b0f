// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Formats a warning once, in a buffer of its own, so that no caller needs a buffer and no
 * listener needs varargs. Without a listener nothing is formatted: most library calls
 * have none.
 */
#include "query/listener.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

void listener_warn(const struct listener *listener, const char *format, ...)
{
	char sentence[1024];
	va_list args;

	if (!listener || !listener->warn)
		return;
	va_start(args, format);
	vsnprintf(sentence, sizeof(sentence), format, args);
	va_end(args);
	listener->warn(listener->cookie, sentence);
}
