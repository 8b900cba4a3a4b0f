// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The kernel would run this machine's interpreter, so QEMU has to be given the guest's.
 *
 * Example: "#!/usr/bin/python3 -S" in ./tool, called with "x": python3, "-S", "./tool", "x".
 * "#!/usr/bin/env node" means node: env would look for it among this machine's programs.
 */
#include "cli/record/script.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analysis/counted.h"
#include "base/error.h"
#include "base/shebang.h"
#include "cli/record/sysroot.h"

/* The first line, and the name by which its interpreter is looked for. */
struct line {
	char text[SHEBANG_BYTES];
	char *interpreter, *argument; /* the argument may be NULL */
	const char *name;
};

static bool read_line(struct line *line, const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	memset(line, 0, sizeof(*line));
	if (fd >= 0 && read(fd, line->text, sizeof(line->text) - 1) > 0)
		line->interpreter = shebang_split(line->text, &line->argument);
	if (fd >= 0)
		close(fd);
	line->name = line->interpreter ? counted_base_name(line->interpreter) : "";
	return *line->name;
}

/* What env is to find, if that is all that it is to do. */
static void pass_env(struct line *line)
{
	if (strcmp(line->name, "env") != 0 || !line->argument ||
	    strpbrk(line->argument, " \t=/") || *line->argument == '-')
		return;
	line->name = line->argument;
	line->argument = NULL;
}

/* 0: it is found. */
static int find(struct guest *guest, const struct line *line, const char *sysroot,
		struct wm_error *err)
{
	char path[PATH_MAX], name[PATH_MAX];

	if (!sysroot)
		return guest_find(guest, line->interpreter, NULL, err) ||
		       guest_is_of_host(guest);
	if (!sysroot_find_program(sysroot, line->name, path, name) ||
	    guest_find(guest, path, NULL, err))
		return 1;
	strcpy(guest->name, name);
	return 0;
}

static char **arguments(const struct line *line, char *script, char **argv)
{
	size_t n = 0;
	char **all, **at;

	while (argv[n])
		n++;
	all = at = calloc(n + 3, sizeof(*all));
	if (!all)
		return NULL;
	*at++ = strdup(line->name);
	if (line->argument)
		*at++ = strdup(line->argument);
	*at++ = strdup(script);
	memcpy(at, argv + 1, (n - 1) * sizeof(*all));
	for (size_t i = 0; i < (size_t)(at - all); i++)
		if (!all[i])
			return NULL;
	return all;
}

int script_interpret(struct guest *guest, char ***argv, const char *sysroot,
		     struct wm_error *err)
{
	char script[PATH_MAX];
	struct line line;

	strcpy(script, guest->path);
	if (!read_line(&line, script))
		return wm_fail(err, WM_E_FORMAT, 0, "%s names no interpreter", script);
	pass_env(&line);
	if (find(guest, &line, sysroot, err))
		return wm_fail(
			err, WM_E_FORMAT, 0,
			sysroot ?
				"%.200s is a script of %.80s, which is not in %.200s" :
				"%.200s is a script of %.80s, which is no guest program "
				"here: -L SYSROOT names the system that has it",
			script, line.name, sysroot);
	*argv = arguments(&line, script, *argv);
	return *argv ? WM_OK : wm_fail_nomem(err, "a script");
}
