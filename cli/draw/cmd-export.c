// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * waymark export: writes a trace in any of the outside formats.
 *
 * A format states which kind of data it writes, and each kind has a command. So this
 * command finds the format, opens the file, and calls that command with its own
 * arguments:
 *
 *	waymark export spike run.wmk --thread 1 -o log
 *	waymark insns --format spike run.wmk --thread 1 >log
 *
 * A format's full name is KIND-NAME, such as insns-csv; NAME is enough where only one
 * kind has it. The file is replaced only when the command has succeeded.
 *
 * Which word is FILE, the command's own parser knows; so a file in a folder, which gets
 * FILE's name, is opened when that has parsed.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/append.h"
#include "base/nearest.h"
#include "cli/command.h"
#include "cli/fail.h"
#include "cli/habits.h"
#include "cli/stdout.h"
#include "cli/team.h"
#include "export/format.h"

/* FORMATS_MAX only limits which names are suggested. */
enum { FORMATS_MAX = 128 };

/* One command for each kind of data. */
static int (*const commands[FORMAT_KINDS])(int argc, char **argv) = {
	[FORMAT_INSNS] = cmd_insns,   [FORMAT_BLOCKS] = cmd_blocks,
	[FORMAT_EVENTS] = cmd_events, [FORMAT_MARKS] = cmd_marks,
	[FORMAT_CFG] = cmd_cfg,	      [FORMAT_PHASES] = cmd_phases,
	[FORMAT_COVER] = cmd_cover,   [FORMAT_CALLS] = cmd_calls,
	[FORMAT_MEM] = cmd_mem,	      [FORMAT_PACKETS] = cmd_packets,
};

static const char usage[] =
	"Usage: waymark export FORMAT [FILE] [-o OUT] [OPTION...]\n"
	"  or:  waymark export --list[=COMMAND] [-o OUT]\n"
	"Write what FILE (waymark.wmk) holds in a format of other programs.\n"
	"\n"
	"  -l, --list         List the formats: name, command, extension; with =COMMAND\n"
	"                     only the names of that one\n"
	"  -o, --output=OUT   Write file OUT, or the one of FILE's name in folder OUT\n"
	"                     (standard output)\n"
	"\n"
	"Other OPTIONs are those of the command that the list names. Options of all\n"
	"commands (-q, --color, --no-pager, --full-names, -h, -V) may come first.\n";

/* ---- formats ------------------------------------------------------------- */

static int list(void)
{
	char name[FORMAT_FULL_NAME];

	printf("%-23s %-8s %-15s %s\n", "format", "command", "extension", "what");
	for (unsigned i = 0; formats[i]; i++) {
		const struct format *format = formats[i];

		printf("%-23s %-8s %-15s %s", format_full_name(format, name),
		       format_kind_word(format->kind), format->extension, format->what);
		if (format->needs)
			printf("; needs %s", format->needs);
		putchar('\n');
	}
	return EXIT_OK;
}

/* Prints the names of one kind, one a line, for the completion of --format. */
static int list_of(const char *word)
{
	unsigned kind = 0;

	while (kind < FORMAT_KINDS && strcmp(format_kind_word(kind), word) != 0)
		kind++;
	if (kind == FORMAT_KINDS)
		return fail("no command \"%s\" has formats", word);
	for (unsigned i = 0; formats[i]; i++)
		if (formats[i]->kind == kind)
			puts(formats[i]->name);
	return EXIT_OK;
}

/* Both names of each format are candidates for a suggestion. */
static int fail_unknown(const char *typed)
{
	char text[FORMATS_MAX][FORMAT_FULL_NAME];
	const char *words[2 * FORMATS_MAX], *near;
	unsigned n = 0;

	for (unsigned i = 0; formats[i] && i < FORMATS_MAX; i++) {
		words[n++] = format_full_name(formats[i], text[i]);
		words[n++] = formats[i]->name;
	}
	near = nearest_word(typed, words, n);
	if (near)
		return fail("there is no format \"%s\"; did you mean \"%s\"? waymark "
			    "export --list lists all",
			    typed, near);
	return fail("there is no format \"%s\"; waymark export --list lists all", typed);
}

/* The format of a name, full or short; NULL, after a message. */
static const struct format *find(const char *typed)
{
	const struct format *found;
	char name[FORMAT_FULL_NAME];
	unsigned n = format_named(typed, &found);

	if (n == 1)
		return found;
	if (n)
		fail("%u formats are called \"%s\"; use %s, for example", n, typed,
		     format_full_name(found, name));
	else
		fail_unknown(typed);
	return NULL;
}

/* ---- arguments ----------------------------------------------------------- */

struct arguments {
	const char *output;
	char **rest; /* [n], for the command */
	size_t n;
};

/*
 * The value of -o when argv[*at] is that option, else NULL. The four forms of argp are
 * accepted: -o OUT, -oOUT, --output OUT, --output=OUT. *at moves over a separate value;
 * "" is a missing one.
 */
static const char *output_of(char **argv, int argc, int *at)
{
	const char *arg = argv[*at];
	static const char word[] = "--output";
	size_t bytes = sizeof(word) - 1;

	if (!strncmp(arg, word, bytes) && arg[bytes] == '=')
		return arg + bytes + 1;
	if (!strncmp(arg, "-o", 2) && arg[2])
		return arg + 2;
	if (strcmp(arg, "-o") != 0 && strcmp(arg, word) != 0)
		return NULL;
	return ++*at < argc ? argv[*at] : "";
}

/*
 * Builds the arguments for the command: --format NAME in front, everything except -o
 * after it. False when there is no memory.
 */
static bool sort_out(struct arguments *args, const struct format *format, int argc,
		     char **argv)
{
	static char option[] = "--format";

	if (!APPEND(args->rest, args->n, argv[0]) ||
	    !APPEND(args->rest, args->n, option) ||
	    !APPEND(args->rest, args->n, (char *)format->name))
		return false;
	for (int i = 2; i < argc; i++) {
		const char *output = output_of(argv, argc, &i);

		if (output)
			args->output = output;
		else if (!APPEND(args->rest, args->n, argv[i]))
			return false;
	}
	return APPEND(args->rest, args->n, NULL);
}

/*
 * OUT, or when OUT is a folder, the name of `file`, a trace, with the format's extension in
 * it: run.wmk as lcov into cov/ is cov/run.info. The caller frees it.
 */
static char *path_of(const char *output, const char *file, const char *extension)
{
	const char *slash = strrchr(file, '/'), *name = slash ? slash + 1 : file;
	const char *dot = strrchr(name, '.');
	size_t stem = dot && dot != name ? (size_t)(dot - name) : strlen(name);
	struct stat there;
	char *path;

	if (stat(output, &there) || !S_ISDIR(there.st_mode))
		return strdup(output);
	return asprintf(&path, "%s/%.*s.%s", output, (int)stem, name, extension) < 0 ?
		       NULL :
		       path;
}

/* ---- writing ------------------------------------------------------------- */

/* argp takes args->rest[0] for the command's name, in messages and in --help. */
static int run(const struct arguments *args, const struct format *format)
{
	char name[FORMAT_FULL_NAME];

	snprintf(name, sizeof(name), "waymark %s", format_kind_word(format->kind));
	args->rest[0] = name;
	return commands[format->kind]((int)args->n - 1, args->rest);
}

/* What open_output() opens; the file is in its place when the command has succeeded (stdout.c). */
static struct {
	const char *output, *extension;
	char *path;
} into;

/* When the command's line is parsed, its FILE is known. */
static void open_output(void)
{
	into.path = path_of(into.output, habits.word ? habits.word : "waymark.wmk",
			    into.extension);
	if (!into.path)
		exit(fail("no memory"));
	stdout_to_file_or_end(into.path);
}

static int run_into(const struct arguments *args, const struct format *format)
{
	into.output = args->output;
	into.extension = format->extension;
	command_when_parsed(open_output);
	return run(args, format);
}

/*
 * The command's --format behind FORMAT would quietly replace it. An option may be abbreviated:
 * "--fo" is the shortest that the commands take for this one.
 */
static bool has_other_format(int argc, char **argv)
{
	for (int i = 2; i < argc; i++) {
		size_t n = strcspn(argv[i], "=");

		if (n >= strlen("--fo") && !strncmp(argv[i], "--format", n))
			return true;
	}
	return false;
}

/*
 * Runs the command of the format. args.rest ends with a NULL, which argc does not count.
 */
static int export(const struct format *format, int argc, char **argv)
{
	struct arguments args = { .n = 0 };
	int status;

	if (has_other_format(argc, argv))
		return fail("the format is %s already: leave out --format", argv[1]);
	if (!sort_out(&args, format, argc, argv))
		return fail("no memory");
	if (args.output && !*args.output)
		return fail("-o needs the name of a file");
	status = args.output ? run_into(&args, format) : run(&args, format);
	free(args.rest);
	return status;
}

/* The list of one command, or of all (NULL), where -o says. */
static int export_list(const char *command, int argc, char **argv)
{
	const char *path = NULL;

	for (int i = 2; i < argc; i++) {
		const char *output = output_of(argv, argc, &i);

		path = output ? output : path;
	}
	if (path && !*path)
		return fail("-o needs the name of a file");
	if (path)
		stdout_to_file_or_end(path);
	return command ? list_of(command) : list();
}

/* Options of all commands, which may stand in front of FORMAT as well. */
static const char *skip_common(int *argc, char ***argv)
{
	while (*argc > 1 && habits_take((*argv)[1])) {
		(*argv)[1] = (*argv)[0];
		--*argc;
		++*argv;
	}
	return *argc > 1 ? (*argv)[1] : "";
}

static bool is_one_of(const char *word, const char *const *words)
{
	while (*words && strcmp(*words, word) != 0)
		words++;
	return *words;
}

/* Whether a format of that name is of a command that an MPI job answers together. */
static bool is_shared(const char *name)
{
	char full[FORMAT_FULL_NAME];

	for (unsigned i = 0; formats[i]; i++)
		if (!strcmp(formats[i]->name, name) ||
		    !strcmp(format_full_name(formats[i], full), name))
			return command_find(format_kind_word(formats[i]->kind))->flags &
			       COMMAND_SHARES;
	return false;
}

/*
 * Not argp: options that are not known here belong to the command. So --list, --help and
 * --version are recognised in front of FORMAT only.
 */
int cmd_export(int argc, char **argv)
{
	static const char list_word[] = "--list=";
	static const char *const help[] = { "-h", "-?", "--help", "--usage", NULL };
	static const char *const version[] = { "-V", "--version", NULL };
	static const char *const lists[] = { "-l", "--list", NULL };
	const char *first = skip_common(&argc, &argv);
	const struct format *format;

	team_enter(is_shared(first));
	if (is_one_of(first, lists))
		return export_list(NULL, argc, argv);
	if (!strncmp(first, list_word, sizeof(list_word) - 1))
		return export_list(first + sizeof(list_word) - 1, argc, argv);
	if (is_one_of(first, help)) {
		printf("%s\n", usage);
		return list();
	}
	if (is_one_of(first, version)) {
		puts("waymark " WAYMARK_VERSION);
		return EXIT_OK;
	}
	if (!*first || *first == '-')
		return fail(
			"export needs a FORMAT first%s%s; waymark export --list lists "
			"them",
			*first ? ", not " : "", first);
	format = find(first);
	return format ? export(format, argc, argv) : EXIT_ERROR;
}
