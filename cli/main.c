// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The waymark command: finds the subcommand and calls it. Everything else is the
 * subcommand's: options, output, exit status. cli/command.h lists the steps to add one.
 *
 * Options of all commands, and where their output goes, are in cli/habits.c.
 *
 * A subcommand sees argv[0] as "waymark NAME", so that argp's messages and --help name
 * the command as it is typed.
 */
#include "base/nearest.h"
#include "cli/become.h"
#include "cli/command.h"
#include "cli/fail.h"
#include "cli/find.h"
#include "cli/fresh_file.h"
#include "cli/habits.h"
#include "cli/stack.h"
#include "cli/stdout.h"
#include "cli/team.h"

#include <argp.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Declared here because the table refers to it. */
static int cmd_help(int argc, char **argv);

/* In the order of --help. */
static const char *const headings[] = {
	[COMMANDS_RECORD] = "Record a run",
	[COMMANDS_LIST] = "List what happened, in order",
	[COMMANDS_COUNT] = "Count and explain",
	[COMMANDS_DRAW] = "Draw",
	[COMMANDS_COMPARE] = "Compare runs, and put many together",
	[COMMANDS_FILES] = "Traces as files",
	[COMMANDS_SETUP] = "Set up",
};

static const struct command commands[] = {
	{ "record", cmd_record, "run a program and record what it executes",
	  COMMANDS_RECORD, 0 },
	{ "ctl", cmd_ctl, "control a recording while it runs, or print its state",
	  COMMANDS_RECORD, 0 },
	{ "top", cmd_top, "show rates, functions and threads of a running recording",
	  COMMANDS_RECORD, 0 },
	{ "insns", cmd_insns, "list the instructions that ran, in order", COMMANDS_LIST,
	  0 },
	{ "blocks", cmd_blocks, "list the blocks that ran, in order", COMMANDS_LIST, 0 },
	{ "events", cmd_events, "list system calls, signals and other events",
	  COMMANDS_LIST, 0 },
	{ "marks", cmd_marks, "list the markers of the guest, and what is between",
	  COMMANDS_LIST, 0 },
	{ "bytecodes", cmd_bytecodes, "list the bytecodes that a managed program ran",
	  COMMANDS_LIST, 0 },
	{ "browse", cmd_browse, "walk through a trace in the terminal, both ways",
	  COMMANDS_LIST, 0 },
	{ "hot", cmd_hot, "count executed instructions by function, block or line",
	  COMMANDS_COUNT, COMMAND_SHARES },
	{ "annotate", cmd_annotate, "list a function's instructions, with counts",
	  COMMANDS_COUNT, COMMAND_SHARES },
	{ "calls", cmd_calls, "print who called whom, and what it took", COMMANDS_COUNT,
	  COMMAND_SHARES },
	{ "cover", cmd_cover, "print which functions, lines and branches ran",
	  COMMANDS_COUNT, COMMAND_SHARES },
	{ "mix", cmd_mix, "count instructions by class, mnemonic or register",
	  COMMANDS_COUNT, COMMAND_SHARES },
	{ "cfg", cmd_cfg, "print the control-flow graph that ran, and its loops",
	  COMMANDS_COUNT, COMMAND_SHARES },
	{ "phases", cmd_phases, "find the phases of a run, and SimPoints", COMMANDS_COUNT,
	  COMMAND_SHARES },
	{ "bpred", cmd_bpred, "count branches that a predictor would have missed",
	  COMMANDS_COUNT, COMMAND_SHARES },
	{ "mem", cmd_mem, "tell which memory was accessed, and by whom", COMMANDS_COUNT,
	  COMMAND_SHARES },
	{ "cache", cmd_cache, "tell what caches would have missed", COMMANDS_COUNT,
	  COMMAND_SHARES },
	{ "boot", cmd_boot, "tell what a machine did until its first program ran",
	  COMMANDS_COUNT, COMMAND_SHARES },
	{ "sql", cmd_sql, "answer SQL: instructions, calls, events as tables",
	  COMMANDS_COUNT, 0 },
	{ "report", cmd_report, "make a page to look at: one HTML file", COMMANDS_DRAW,
	  0 },
	{ "plot", cmd_plot, "draw hot functions, the mix, the phases or the memory",
	  COMMANDS_DRAW, 0 },
	{ "diff", cmd_diff, "compare two runs, or a run and a log", COMMANDS_COMPARE, 0 },
	{ "suite", cmd_suite, "record the programs of a list, and report on them",
	  COMMANDS_COMPARE, 0 },
	{ "merge", cmd_merge, "answer a question from parts that were computed apart",
	  COMMANDS_COMPARE, 0 },
	{ "info", cmd_info, "print what a trace contains", COMMANDS_FILES, 0 },
	{ "verify", cmd_verify, "check a trace, by itself or against QEMU's log",
	  COMMANDS_FILES, 0 },
	{ "cut", cmd_cut, "write a part of a trace as a trace of its own", COMMANDS_FILES,
	  0 },
	{ "recover", cmd_recover, "finish a trace that is cut short or damaged",
	  COMMANDS_FILES, 0 },
	{ "export", cmd_export, "write a trace in a format of other programs",
	  COMMANDS_FILES, COMMAND_ENTERS },
	{ "import", cmd_import, "make a trace of what another tool recorded",
	  COMMANDS_FILES, 0 },
	{ "packets", cmd_packets, "write a run as RISC-V trace packets", COMMANDS_FILES,
	  0 },
	{ "doctor", cmd_doctor, "check what recording needs", COMMANDS_SETUP, 0 },
	{ "setup-qemu", cmd_setup_qemu, "build a QEMU that takes plugins", COMMANDS_SETUP,
	  0 },
	{ "help", cmd_help, "show the manual of a command", COMMANDS_SETUP, 0 },
	{ "collect", cmd_collect, "collect for a plugin loaded by hand", COMMANDS_SETUP,
	  COMMAND_HIDDEN },
	{ "complete", cmd_complete, "words for a shell's completion", COMMANDS_SETUP,
	  COMMAND_HIDDEN },
};

enum { COMMANDS = sizeof(commands) / sizeof(*commands) };

const struct command *command_find(const char *name)
{
	for (unsigned i = 0; i < COMMANDS; i++)
		if (!strcmp(commands[i].name, name))
			return &commands[i];
	return NULL;
}

/* The name is on this stack, which outlives the command; argp keeps a pointer to it. */
int command_call(const struct command *command, int argc, char **argv)
{
	char name[64];

	snprintf(name, sizeof(name), "waymark %s", command->name);
	argv[0] = name;
	return command->run(argc, argv);
}

/* Only what habits_take() knows stands in front of a command. */
static int unknown_option(const char *word)
{
	static const char *const known[] = { "--quiet",	     "--color", "--no-pager",
					     "--full-names", "--help",	"--version" };
	char hint[NEAREST_HINT];

	return fail("there is no option \"%s\" in front of a command%s", word,
		    nearest_hint(hint, word, known, sizeof(known) / sizeof(*known)));
}

/* Hidden commands are never suggested. */
static int unknown_command(const char *name)
{
	const char *names[COMMANDS];
	const char *near;
	unsigned n = 0;

	if (*name == '-')
		return unknown_option(name);
	for (unsigned i = 0; i < COMMANDS; i++)
		if (!(commands[i].flags & COMMAND_HIDDEN))
			names[n++] = commands[i].name;
	if (fresh_file_is_trace(name))
		return fail(
			"there is no command \"%s\"; `waymark info %s` says what is in "
			"that trace",
			name, name);
	near = nearest_word(name, names, n);
	if (near)
		return fail("there is no command \"%s\"; did you mean \"%s\"?", name,
			    near);
	/* Nobody calls a command so: it is the program to record. */
	if (strchr(name, '/'))
		return fail("there is no command \"%s\"; `waymark record %s` records a "
			    "program",
			    name, name);
	return fail("there is no command \"%s\"; see waymark --help", name);
}

static void list_group(FILE *out, unsigned group)
{
	for (unsigned i = 0; i < COMMANDS; i++)
		if (commands[i].group == group && !(commands[i].flags & COMMAND_HIDDEN))
			fprintf(out, "  %-10s  %s\n", commands[i].name,
				commands[i].summary);
}

/* An exit status of 2 when it is printed because of a mistake, on stderr. */
static int usage(FILE *out)
{
	fputs("Usage: waymark COMMAND [OPTION...]\n"
	      "Record every instruction that a program executes under QEMU, and answer "
	      "from the trace.\n",
	      out);
	for (unsigned group = 0; group < COMMANDS_GROUPS; group++) {
		fprintf(out, "\n%s\n", headings[group]);
		list_group(out, group);
	}
	fputs("\nBegin with `waymark record ./prog` and `waymark hot`. `waymark help COMMAND` "
	      "shows the\nmanual of a command, `waymark help waymark` what all share, `waymark "
	      "COMMAND --help`\nits options. All take -q, -o, --color, --no-pager, --full-names, "
	      "-h and -V.\n",
	      out);
	return out == stdout ? EXIT_OK : EXIT_ERROR;
}

/*
 * Executes man(1) on the command's page, which is found relative to the executable,
 * because an installed tree may be outside MANPATH. Returns when there is no page or no
 * man.
 */
static int show_manual(const char *name)
{
	char page[64], beside[128], installed[128], path[PATH_MAX];
	char *argv[] = { (char *)"man", path, NULL };

	snprintf(page, sizeof(page), "waymark%s%s.1", name ? "-" : "", name ? name : "");
	snprintf(beside, sizeof(beside), "docs/man/%s", page);
	snprintf(installed, sizeof(installed), "../share/man/man1/%s", page);
	return find_own(path, beside, installed) ? command_become("man", argv) : -1;
}

static error_t parse_help(int key, char *arg, struct argp_state *state)
{
	const char **name = state->input;

	if (key != ARGP_KEY_ARG)
		return ARGP_ERR_UNKNOWN;
	if (*name)
		argp_error(state, "one command at a time, not also \"%s\"", arg);
	*name = arg;
	return 0;
}

/* Without a manual page, --help of the command is printed instead. */
static int cmd_help(int argc, char **argv)
{
	static const struct argp argp = {
		NULL,
		parse_help,
		"[COMMAND]",
		"Show the manual of COMMAND, or list all commands. "
		"`waymark help waymark` has what all of them share: places, "
		"gaps, names of code.",
		NULL,
		NULL,
		NULL
	};
	const char *name = NULL;
	const struct command *command;
	char *help[] = { NULL, (char *)"--help", NULL };
	int status;

	command_parse(&argp, argc, argv, 0, &name);
	if (!name)
		return usage(stdout);
	/* What all commands share, to which their pages refer. */
	if (!strcmp(name, "waymark")) {
		status = show_manual(NULL);
		return status < 0 ? usage(stdout) : status;
	}
	command = command_find(name);
	if (!command || command->flags & COMMAND_HIDDEN)
		return unknown_command(name);
	/* There is no page for `help` itself. */
	if (command->run == cmd_help)
		return usage(stdout);
	status = show_manual(name);
	return status < 0 ? command_call(command, 2, help) : status;
}

/*
 * A file takes the place of a standard descriptor that is closed. With stderr closed a message
 * would be written into the result, so /dev/null takes the place. It is opened the wrong way
 * round, so that reading and writing fail with EBADF as before, and programs that are started
 * do not get it.
 */
static void fill_closed(void)
{
	static const int wrong[] = { O_WRONLY, O_RDONLY, O_RDONLY };

	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) < 0)
			(void)!open("/dev/null", wrong[fd] | O_CLOEXEC);
}

static int run(int argc, char **argv)
{
	const struct command *command;

	/* argp would exit with 64 for a wrong option. */
	argp_err_exit_status = EXIT_ERROR;
	/* Before anything uses atexit(): its handler must be the last to run. */
	stdout_init();
	for (; argc > 1 && habits_take(argv[1]); argc--)
		argv++;
	if (argc < 2)
		return usage(stderr);
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"))
		return usage(stdout);
	if (!strcmp(argv[1], "--version") || !strcmp(argv[1], "-V")) {
		puts("waymark " WAYMARK_VERSION);
		return EXIT_OK;
	}
	command = command_find(argv[1]);
	if (!command)
		return unknown_command(argv[1]);
	/* The program that is recorded has the descriptors that it would have; record sees to it. */
	if (command->run != cmd_record && !(command->flags & COMMAND_HIDDEN))
		fill_closed();
	/* What each process of a job records is its own; what it asks is asked together. */
	if (command->group != COMMANDS_RECORD && command->group != COMMANDS_SETUP &&
	    !(command->flags & COMMAND_ENTERS))
		team_enter(command->flags & COMMAND_SHARES);
	return stdout_settle(command_call(command, argc - 1, argv + 1));
}

int main(int argc, char **argv)
{
	return stack_call(run, argc, argv);
}
