// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * QEMU's command line is its name, options, the guest's program, and the guest's arguments.
 * Most options can be given by a variable of the environment, too.
 */
#include "plugin/user/qemu_line.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "format/arena.h"

/* What an option is, as a set. */
enum trait {
	ALONE = 1,   /* no argument follows it; unknown options have one */
	FIRST = 2,   /* for the first program only: the environment has it by then */
	UNHEARD = 4, /* QEMU does and says nothing more at its end because of it */
};

struct option {
	const char *name, *variable;
	unsigned traits;
};

static const struct option options[] = {
	{ "0", "QEMU_ARGV0", FIRST | UNHEARD },
	{ "B", "QEMU_GUEST_BASE", UNHEARD },
	{ "D", "QEMU_LOG_FILENAME", UNHEARD },
	{ "E", "QEMU_SET_ENV", FIRST | UNHEARD },
	{ "L", "QEMU_LD_PREFIX", UNHEARD },
	{ "R", "QEMU_RESERVED_VA", UNHEARD },
	{ "U", "QEMU_UNSET_ENV", FIRST | UNHEARD },
	{ "argv0", "", FIRST | UNHEARD },
	{ "cpu", "QEMU_CPU", UNHEARD },
	{ "d", "QEMU_LOG", UNHEARD }, /* see is_unheard() */
	{ "dfilter", "QEMU_DFILTER", UNHEARD },
	{ "h", "", ALONE },
	{ "help", "", ALONE },
	{ "jitdump", "QEMU_JITDUMP", ALONE },
	{ "one-insn-per-tb", "QEMU_ONE_INSN_PER_TB", ALONE | UNHEARD },
	{ "p", "QEMU_PAGESIZE", UNHEARD },
	{ "perfmap", "QEMU_PERFMAP", ALONE },
	{ "plugin", "QEMU_PLUGIN", UNHEARD }, /* see is_unheard() */
	{ "r", "QEMU_UNAME", UNHEARD },
	{ "s", "QEMU_STACK_SIZE", UNHEARD },
	{ "seed", "QEMU_RAND_SEED", UNHEARD },
	{ "set-env", "", FIRST | UNHEARD },
	{ "singlestep", "QEMU_SINGLESTEP", ALONE | UNHEARD },
	{ "strace", "QEMU_STRACE", ALONE },
	{ "t", "QEMU_RTSIG_MAP", UNHEARD },
	{ "tb-size", "QEMU_TB_SIZE", UNHEARD },
	{ "unset-env", "", FIRST | UNHEARD },
	{ "version", "QEMU_VERSION", ALONE },
};
static const struct option unknown = { "", "", 0 };

#define OPTIONS (sizeof(options) / sizeof(*options))

static const struct option *find_option(const char *name)
{
	for (size_t i = 0; i < OPTIONS; i++)
		if (!strcmp(name, options[i].name))
			return &options[i];
	return &unknown;
}

/* The option of NAME=VALUE; NULL: QEMU does not read that variable. */
static const struct option *find_variable(const char *text)
{
	size_t length = strcspn(text, "=");

	for (size_t i = 0; i < OPTIONS; i++)
		if (length && strlen(options[i].variable) == length &&
		    !strncmp(text, options[i].variable, length))
			return &options[i];
	return NULL;
}

/* value: NULL when the option has none. */
static bool is_unheard(const struct option *option, const char *value)
{
	if (value && !strcmp(option->name, "plugin"))
		return strstr(value, QEMU_LINE_OURS);
	/* The log of system calls has them before they are made, but after we see them. */
	if (value && !strcmp(option->name, "d"))
		return !strstr(value, "strace") && !strstr(value, "trace:") &&
		       !strstr(value, "all");
	return option->traits & UNHEARD;
}

static bool environment_is_unheard(void)
{
	for (char *const *at = environ; *at; at++) {
		const struct option *option = find_variable(*at);

		if (option && !is_unheard(option, strchr(*at, '=')))
			return false;
	}
	return true;
}

/*
 * The value of -plugin for later programs: ours gets the shared memory's path. Example:
 *	libwaymark-v2.so,out=run.wmk
 * becomes
 *	libwaymark-v2.so,arena=/proc/.../fd/5,after=exec
 * Each call adds name=... and mask=... to that. Other plugins keep their value, and so does ours
 * where it is loaded again.
 */
static char *plugin_value(struct qemu_line *line, char *value, const char *memory)
{
	static const char *const keys[] = { ",arena=", ",out=", ",waymark=" };
	size_t file = strlen(value);
	char *mine;

	if (!strstr(value, QEMU_LINE_OURS) || strstr(value, SPARE_ARGUMENT))
		return value;
	/* The first of our own arguments ends the file's name, whatever their order. */
	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++) {
		const char *key = strstr(value, keys[i]);

		if (key && (size_t)(key - value) < file)
			file = (size_t)(key - value);
	}
	if (asprintf(&mine, "%.*s,arena=%s,after=exec", (int)file, value, memory) < 0)
		return value;
	if (!strncmp(value, "file=", 5))
		snprintf(line->plugin, sizeof(line->plugin), "%.*s", (int)file - 5,
			 value + 5);
	else
		snprintf(line->plugin, sizeof(line->plugin), "%.*s", (int)file, value);
	line->own_value = line->count;
	return mine;
}

/* Takes QEMU's options out of words[n]; returns the index of the guest's program. */
static unsigned take_options(struct qemu_line *line, char **words, unsigned n,
			     const char *memory)
{
	unsigned at = 1;

	line->words[line->count++] = line->qemu;
	while (at < n && words[at][0] == '-' && words[at][1]) {
		/* QEMU takes its options with one dash or with two. */
		const char *name = words[at] + 1 + (words[at][1] == '-');
		const struct option *option = find_option(name);
		bool alone = option->traits & ALONE, last = at + 1 == n;
		char *value = alone || last ? NULL : words[at + 1];

		line->ends_unheard &= is_unheard(option, value);
		/*
		 * A last word without its value is an error that QEMU has reported; it is
		 * not passed on.
		 */
		if (!(option->traits & FIRST) && (alone || value)) {
			line->words[line->count++] = words[at];
			if (value && !strcmp(name, "plugin"))
				value = plugin_value(line, value, memory);
			if (value)
				line->words[line->count++] = value;
		}
		at += alone ? 1 : 2;
	}
	return at;
}

/*
 * Reads a whole file of /proc into malloc()ed memory that ends in a NUL; NULL on failure.
 */
static char *read_whole(const char *path, size_t *bytes)
{
	FILE *file = fopen(path, "re"), *copy;
	char *text = NULL;
	int c;

	if (!file)
		return NULL;
	copy = open_memstream(&text, bytes);
	/* Files of /proc have no size to ask for, so the copy grows as it is read. */
	while (copy && (c = getc(file)) != EOF)
		putc(c, copy);
	if (copy)
		fclose(copy);
	fclose(file);
	return text;
}

const struct qemu_line *qemu_line_read(const char *memory)
{
	static char none[] = "";
	static struct qemu_line line;
	size_t bytes = 0;
	char *text = read_whole("/proc/self/cmdline", &bytes);
	/* The command line has at most as many words as bytes. */
	char **words = calloc(bytes + 1, sizeof(*words));
	unsigned n = 0, at;

	line.words = calloc(bytes + 1, sizeof(*line.words));
	if (!text || !words || !line.words ||
	    readlink("/proc/self/exe", line.qemu, sizeof(line.qemu) - 1) <= 0) {
		free(words);
		return NULL;
	}
	for (char *word = text; word < text + bytes; word += strlen(word) + 1)
		words[n++] = word;
	line.ends_unheard = environment_is_unheard();
	at = take_options(&line, words, n, memory);
	line.program = at < n ? words[at] : none;
	free(words);
	return &line;
}
