/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The first line of a script, as Linux reads it. */
#ifndef BASE_SHEBANG_H
#define BASE_SHEBANG_H

#define SHEBANG_BYTES 256 /* the kernel's own limit on the line */

/*
 * Splits "#! interpreter [argument]", the begin of a file, inside `head`, where zeros follow it.
 * Returns the interpreter; NULL: it is no script, or one that Linux refuses. *argument is NULL if
 * there is none.
 */
char *shebang_split(char head[static SHEBANG_BYTES], char **argument);

#endif
