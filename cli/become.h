/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Commands that are another program's: a script, man(1). */
#ifndef CLI_BECOME_H
#define CLI_BECOME_H

/*
 * Executes a program in place of this process. With -o (cli/habits.h) it runs as a child,
 * because the result is kept only when this process ends in order; then its exit status is
 * returned. Also returns when the program cannot be started: -1, and errno says why.
 */
int command_become(const char *program, char **argv);

#endif
