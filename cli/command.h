/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * To add a subcommand NAME, do these four things:
 *
 *  1. write cmd-NAME.c in a folder of cli/ with `int cmd_NAME(int argc, char **argv)`:
 *     options through argp, the exit status returned (enum exit_status), errors through
 *     fail(). A command that puts a question to a trace is a struct ask_command
 *     (cli/ask.h), and the question a file of query/questions/;
 *  2. declare it below, and add its row to commands[] in cli/main.c;
 *  3. add the file to meson.build and its options to completion/;
 *  4. write docs/man/waymark-NAME.1.scd and tests/cli/NAME/.
 *
 * No subcommand includes another's header: what two of them need is a file of its own.
 */
#ifndef CLI_COMMAND_H
#define CLI_COMMAND_H

enum exit_status {
	EXIT_OK = 0,
	EXIT_DIFFERS = 1, /* or the file is invalid */
	EXIT_ERROR = 2,
};

enum command_flags {
	COMMAND_HIDDEN = 1, /* not for people: left out of help and suggestions */
};

struct command {
	const char *name;
	int (*run)(int argc, char **argv); /* argv[0] is "waymark NAME" */
	const char *summary;		   /* a few words, no full stop */
	unsigned flags;
};

int cmd_annotate(int argc, char **argv);
int cmd_blocks(int argc, char **argv);
int cmd_calls(int argc, char **argv);
int cmd_cfg(int argc, char **argv);
int cmd_collect(int argc, char **argv);
int cmd_cover(int argc, char **argv);
int cmd_ctl(int argc, char **argv);
int cmd_diff(int argc, char **argv);
int cmd_doctor(int argc, char **argv);
int cmd_events(int argc, char **argv);
int cmd_export(int argc, char **argv);
int cmd_hot(int argc, char **argv);
int cmd_info(int argc, char **argv);
int cmd_insns(int argc, char **argv);
int cmd_marks(int argc, char **argv);
int cmd_mix(int argc, char **argv);
int cmd_phases(int argc, char **argv);
int cmd_plot(int argc, char **argv);
int cmd_record(int argc, char **argv);
int cmd_recover(int argc, char **argv);
int cmd_report(int argc, char **argv);
int cmd_setup_qemu(int argc, char **argv);
int cmd_top(int argc, char **argv);
int cmd_verify(int argc, char **argv);

#endif
