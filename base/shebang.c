// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Example: "#! /bin/sh -e -x" has the interpreter "/bin/sh" and one argument, "-e -x".
 */
#include "base/shebang.h"

#include <stddef.h>
#include <string.h>

char *shebang_split(char head[static SHEBANG_BYTES], char **argument)
{
	char *interpreter;

	if (head[0] != '#' || head[1] != '!')
		return NULL;
	/* The line may end with the file, or be cut at SHEBANG_BYTES. */
	head[strcspn(head, "\n")] = 0;
	interpreter = head + 2 + strspn(head + 2, " \t");
	/* Linux refuses an interpreter whose path is cut, and takes an argument that is. */
	if (interpreter + strcspn(interpreter, " \t") == head + SHEBANG_BYTES - 1)
		return NULL;
	/*
	 * Linux passes everything after the interpreter as one argument, spaces inside
	 * included.
	 */
	*argument = interpreter + strcspn(interpreter, " \t");
	if (**argument) {
		*(*argument)++ = 0;
		*argument += strspn(*argument, " \t");
		for (char *end = *argument + strlen(*argument);
		     end > *argument && strchr(" \t", end[-1]); end--)
			end[-1] = 0;
	}
	if (!**argument)
		*argument = NULL;
	return *interpreter ? interpreter : NULL;
}
