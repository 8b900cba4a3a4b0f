/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * To add a subcommand NAME, do these four things:
 *
 *  1. write cli/SUBJECT/cmd-NAME.c with `int cmd_NAME(int argc, char **argv)`. SUBJECT is
 *     the folder of the command's purpose: list, count, flow, diff, draw, file, record,
 *     live, browse, many, suite, doctor or sql. The function parses options with argp, reports
 *     errors with fail() and returns an enum exit_status. A command that asks a question about a trace is a
 *     struct ask_command (cli/ask.h), and the question is a file in query/questions/;
 *  2. declare the function below and add its row to commands[] in cli/main.c;
 *  3. add the file to meson.build and its options to completion/;
 *  4. write docs/man/waymark-NAME.1.scd and tests/cli/NAME/.
 *
 * Subcommands do not include each other's headers: what two of them need is a file of its
 * own, in their folder or in cli/.
 */
#ifndef CLI_COMMAND_H
#define CLI_COMMAND_H

enum exit_status {
	EXIT_OK = 0,
	EXIT_DIFFERS = 1, /* the inputs differ, or the file is invalid */
	EXIT_ERROR = 2,
};

enum command_flags {
	COMMAND_HIDDEN = 1, /* started by other programs: not in help or suggestions */
	COMMAND_SHARES = 2, /* takes --part: `merge` may run it again */
	COMMAND_ENTERS = 4, /* calls team_enter() itself */
};

/* What a command is for: a heading of --help. */
enum command_group {
	COMMANDS_RECORD,
	COMMANDS_LIST,
	COMMANDS_COUNT,
	COMMANDS_DRAW,
	COMMANDS_COMPARE,
	COMMANDS_FILES,
	COMMANDS_SETUP,
	COMMANDS_GROUPS,
};

struct command {
	const char *name;
	int (*run)(int argc, char **argv); /* argv[0] is "waymark NAME" */
	const char *summary;		   /* a few words, no full stop */
	enum command_group group;
	unsigned flags;
};

/* The command with a name, or NULL. */
const struct command *command_find(const char *name);
/* Runs it; argv[0] is replaced. */
int command_call(const struct command *command, int argc, char **argv);

int cmd_annotate(int argc, char **argv);
int cmd_blocks(int argc, char **argv);
int cmd_boot(int argc, char **argv);
int cmd_bpred(int argc, char **argv);
int cmd_browse(int argc, char **argv);
int cmd_cache(int argc, char **argv);
int cmd_calls(int argc, char **argv);
int cmd_cfg(int argc, char **argv);
int cmd_collect(int argc, char **argv);
int cmd_cover(int argc, char **argv);
int cmd_complete(int argc, char **argv);
int cmd_ctl(int argc, char **argv);
int cmd_cut(int argc, char **argv);
int cmd_diff(int argc, char **argv);
int cmd_doctor(int argc, char **argv);
int cmd_events(int argc, char **argv);
int cmd_export(int argc, char **argv);
int cmd_hot(int argc, char **argv);
int cmd_import(int argc, char **argv);
int cmd_info(int argc, char **argv);
int cmd_insns(int argc, char **argv);
int cmd_marks(int argc, char **argv);
int cmd_bytecodes(int argc, char **argv);
int cmd_mem(int argc, char **argv);
int cmd_merge(int argc, char **argv);
int cmd_mix(int argc, char **argv);
int cmd_packets(int argc, char **argv);
int cmd_phases(int argc, char **argv);
int cmd_plot(int argc, char **argv);
int cmd_record(int argc, char **argv);
int cmd_recover(int argc, char **argv);
int cmd_report(int argc, char **argv);
int cmd_setup_qemu(int argc, char **argv);
int cmd_sql(int argc, char **argv);
int cmd_suite(int argc, char **argv);
int cmd_top(int argc, char **argv);
int cmd_verify(int argc, char **argv);

#endif
