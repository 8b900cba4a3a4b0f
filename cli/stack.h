/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The stack that commands run on, whatever `ulimit -s` says. */
#ifndef CLI_STACK_H
#define CLI_STACK_H

/*
 * Calls `run` and returns its result. Where the stack's limit is lower than the usual 8 MiB,
 * it runs on a stack of that size, as do the threads that it starts. Called once.
 */
int stack_call(int (*run)(int argc, char **argv), int argc, char **argv);

#endif
