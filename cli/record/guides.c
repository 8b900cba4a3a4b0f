// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A guide is read before the guest runs, so that what is wrong with it costs no run. What a
 * runtime is like stands in the guide's file and in its agent, never here: here it becomes
 * a variable and arguments.
 *
 * Example: guides/cpython/guide has "program python3.13", "preload agent.so" and "told".
 * `record -- python3.13 x.py` runs the guest with LD_PRELOAD=.../guides/cpython/agent.so, and
 * records the addresses that 212 loads of the evaluator load from, which the agent tells.
 */
#include "cli/record/guides.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/append.h"
#include "base/buf.h"
#include "base/error.h"
#include "cli/fail.h"
#include "cli/find.h"
#include "cli/record/check.h"
#include "format/values.h"
#include "out/number.h"
#include "program/elf/needs.h"

enum { OPTION_GUIDE = 256 + 120, GUIDE_BYTES_MAX = 1 << 16 };

static const struct argp_option options[] = {
	{ NULL, 0, NULL, 0, "Managed programs:", 5 },
	{ "guide", OPTION_GUIDE, "NAME|auto|none", 0,
	  "Follow a runtime's own code: that of guide NAME, or of the program's (auto)",
	  0 },
	{ 0 },
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct record_guide *guide = state->input;

	if (key != OPTION_GUIDE)
		return ARGP_ERR_UNKNOWN;
	guide->off = !strcmp(arg, "none");
	guide->asked = guide->off || !strcmp(arg, "auto") ? NULL : arg;
	if (!*arg || strchr(arg, '/'))
		argp_error(state, "--guide takes the name of a guide, not \"%s\"", arg);
	return 0;
}

const struct argp record_guide_argp = { options, parse, NULL, NULL, NULL, NULL, NULL };

/* ---- the file ------------------------------------------------------------ */

static int wrong(const struct record_guide *guide, const char *line, struct wm_error *err)
{
	return wm_fail(err, WM_E_RANGE, 0, "guide %.40s: \"%.60s\" is no rule",
		       guide->name, line);
}

/* `text` with each %d replaced by the folder; malloc()ed. */
static char *expand(const struct record_guide *guide, const char *text)
{
	struct buf buf = BUF_INIT;

	for (; *text; text++)
		if (text[0] == '%' && text[1] == 'd') {
			buf_put(&buf, guide->folder, strlen(guide->folder));
			text++;
		} else {
			buf_put_u8(&buf, (uint8_t)*text);
		}
	buf_put_u8(&buf, 0);
	if (!buf.failed)
		return (char *)buf.data;
	buf_fini(&buf);
	return NULL;
}

/* A file of the folder; false: it does not exist. */
static bool find_part(const struct record_guide *guide, const char *file,
		      char path[PATH_MAX])
{
	int n = snprintf(path, PATH_MAX, "%s/%s", guide->folder, file);

	return n < PATH_MAX && !access(path, R_OK);
}

static int take_part(struct record_guide *guide, const char *file, char path[PATH_MAX],
		     struct wm_error *err)
{
	if (find_part(guide, file, path))
		return 0;
	return wm_fail(err, WM_E_IO, 0,
		       "guide %.40s has no %.60s: it is built where there is a compiler "
		       "for the guest (riscv64-linux-gnu-gcc)",
		       guide->name, file);
}

/* Takes a text from malloc() over. */
static int add_variable(struct record_guide *guide, char *text, struct wm_error *err)
{
	if (text && guide->n_variables < GUIDE_VARIABLES_MAX) {
		guide->variables[guide->n_variables++] = text;
		return 0;
	}
	free(text);
	return text ? wrong(guide, "variable", err) : wm_fail_nomem(err, "a guide");
}

/* The guest may have libraries to preload of its own. */
static int take_preload(struct record_guide *guide, const char *file,
			char *const *qemu_args, struct wm_error *err)
{
	const char *others = guest_variable(qemu_args, "LD_PRELOAD");
	char path[PATH_MAX], *text = NULL;
	int ret = take_part(guide, file, path, err);

	if (ret)
		return ret;
	if (asprintf(&text, "LD_PRELOAD=%s%s%s", path, others ? ":" : "",
		     others ? others : "") < 0)
		text = NULL;
	return add_variable(guide, text, err);
}

static int take_variable(struct record_guide *guide, const char *line, const char *rest,
			 char *const *qemu_args, struct wm_error *err)
{
	const char *equals = strchr(rest, '=');
	char name[64];

	if (!equals || (size_t)(equals - rest) >= sizeof(name))
		return wrong(guide, line, err);
	snprintf(name, sizeof(name), "%.*s", (int)(equals - rest), rest);
	if (guest_variable(qemu_args, name))
		return wm_fail(err, WM_E_RANGE, 0,
			       "guide %.40s needs the variable %s, which is set",
			       guide->name, name);
	return add_variable(guide, expand(guide, rest), err);
}

static int take_argument(struct record_guide *guide, char *line, const char *rest,
			 struct wm_error *err)
{
	char *text;

	if (guide->n_arguments == GUIDE_ARGUMENTS_MAX)
		return wrong(guide, line, err);
	text = expand(guide, rest);
	if (!text)
		return wm_fail_nomem(err, "a guide");
	guide->arguments[guide->n_arguments++] = text;
	return 0;
}

static int take_program(struct record_guide *guide, char *line, char *rest,
			struct wm_error *err)
{
	char *blank = strchr(rest, ' ');

	if (guide->n_programs == GUIDE_PROGRAMS_MAX)
		return wrong(guide, line, err);
	if (blank)
		*blank = 0;
	guide->programs[guide->n_programs++] =
		(struct guide_program){ rest, blank ? blank + 1 : "" };
	return 0;
}

static int take_line(struct record_guide *guide, char *line, char *const *qemu_args,
		     struct wm_error *err)
{
	char *rest = strchr(line, ' ');
	size_t word = rest ? (size_t)(rest - line) : strlen(line);
	char path[PATH_MAX];

#define IS(text) (word == strlen(text) && !strncmp(line, text, word))
	rest += rest != NULL;
	if (!*line || *line == '#')
		return 0;
	if (IS("told")) {
		guide->told = true;
		return 0;
	}
	if (!rest)
		return wrong(guide, line, err);
	if (IS("program"))
		return take_program(guide, line, rest, err);
	if (IS("preload"))
		return take_preload(guide, rest, qemu_args, err);
	if (IS("needs"))
		return take_part(guide, rest, path, err);
	if (IS("variable"))
		return take_variable(guide, line, rest, qemu_args, err);
	if (IS("argument"))
		return take_argument(guide, line, rest, err);
	if (IS("library")) {
		guide->library = rest;
		return 0;
	}
#undef IS
	return wrong(guide, line, err);
}

/* The file's text, with a NUL behind it. */
static char *read_text(const char *path)
{
	FILE *file = fopen(path, "re");
	char *text = file ? calloc(1, GUIDE_BYTES_MAX + 1) : NULL;

	if (text && fread(text, 1, GUIDE_BYTES_MAX, file) == 0 && ferror(file)) {
		free(text);
		text = NULL;
	}
	if (file)
		fclose(file);
	return text;
}

/* Begins anew: several may be read before one fits the program. */
static void forget(struct record_guide *guide)
{
	const char *asked = guide->asked;

	record_guide_fini(guide);
	*guide = (struct record_guide){ .asked = asked };
}

/* Loads that nobody asked for would be in the trace. */
static int check_values(const struct record_guide *guide, uint32_t values,
			struct wm_error *err)
{
	if (!guide->told || (values & VALUES_ALL) != VALUES_STORES)
		return 0;
	return wm_fail(err, WM_E_RANGE, 0,
		       "guide %.40s needs loads: it does not go with --mem=stores",
		       guide->name);
}

static int read_guide(struct record_guide *guide, const char *path, const char *name,
		      char *const *qemu_args, uint32_t values, struct wm_error *err)
{
	char *next, *line;
	int ret = 0;

	forget(guide);
	guide->name = strdup(name);
	guide->text = read_text(path);
	snprintf(guide->folder, sizeof(guide->folder), "%s", path);
	*strrchr(guide->folder, '/') = 0;
	if (!guide->name || !guide->text)
		return wm_fail_nomem(err, "a guide");
	for (next = guide->text; !ret && (line = strsep(&next, "\n"));)
		ret = take_line(guide, line, qemu_args, err);
	return ret ? ret : check_values(guide, values, err);
}

/* ---- which one ----------------------------------------------------------- */

/* Where the file of a guide is; false: it is not installed. */
static bool find_file(const char *name, char path[PATH_MAX])
{
	char beside[NAME_MAX + 32], installed[NAME_MAX + 64];

	snprintf(beside, sizeof(beside), "guides/%.*s/guide", NAME_MAX, name);
	snprintf(installed, sizeof(installed), "../lib/waymark/guides/%.*s/guide",
		 NAME_MAX, name);
	return find_own(path, beside, installed);
}

static const struct guide_program *find_name(const struct record_guide *guide,
					     const char *path)
{
	const char *slash = strrchr(path, '/');

	for (unsigned i = 0; i < guide->n_programs; i++)
		if (!fnmatch(guide->programs[i].pattern, slash ? slash + 1 : path, 0))
			return &guide->programs[i];
	return NULL;
}

/*
 * By its name, or by that of the file that it is a link to: "python3" is python3.13. NULL: the
 * guide is not for it.
 */
static const struct guide_program *find_program(const struct record_guide *guide,
						const char *path)
{
	const struct guide_program *program = find_name(guide, path);
	char target[PATH_MAX];

	return !program && realpath(path, target) ? find_name(guide, target) : program;
}

/* The names of all that are installed lie beside one that always is. */
static DIR *open_guides(char path[PATH_MAX])
{
	if (!find_file("cpython", path))
		return NULL;
	*strrchr(path, '/') = 0;
	*strrchr(path, '/') = 0;
	return opendir(path);
}

/* The name of the next one, whose file is at `path`; NULL: there are no more, or no folder. */
static const char *next_guide(DIR *guides, char path[PATH_MAX])
{
	struct dirent *entry;

	while (guides && (entry = readdir(guides)))
		if (entry->d_name[0] != '.' && find_file(entry->d_name, path))
			return entry->d_name;
	return NULL;
}

static void close_guides(DIR *guides)
{
	if (guides)
		closedir(guides);
}

/* Reads the first guide that is for the program; none is no failure. */
static int find_by_program(struct record_guide *guide, const char *program,
			   char *const *qemu_args, uint32_t values, struct wm_error *err)
{
	char path[PATH_MAX];
	DIR *guides = open_guides(path);
	const char *name;
	bool fits = false;
	int ret = 0;

	while (!fits && !ret && (name = next_guide(guides, path))) {
		ret = read_guide(guide, path, name, qemu_args, values, err);
		/* What is wrong with it does not matter to other programs. */
		fits = find_program(guide, program);
		ret = fits ? ret : 0;
	}
	close_guides(guides);
	if (!fits)
		forget(guide);
	if (!ret)
		return 0;
	remark("%s, so it is left out", err->text);
	forget(guide);
	return 0;
}

void record_guides_each(char *const *qemu_args,
			void (*take)(void *cookie, const struct record_guide *guide),
			void *cookie)
{
	char path[PATH_MAX];
	DIR *guides = open_guides(path);
	struct record_guide guide = { .asked = NULL };
	const char *name;
	struct wm_error err;

	while ((name = next_guide(guides, path)))
		if (!read_guide(&guide, path, name, qemu_args, 0, &err))
			take(cookie, &guide);
	record_guide_fini(&guide);
	close_guides(guides);
}

/* There is no guide of that name: fails with those that there are. */
static int no_guide(const char *asked, struct wm_error *err)
{
	char path[PATH_MAX], names[128] = "";
	DIR *guides = open_guides(path);
	const char *name;
	size_t n = 0;

	while (n < sizeof(names) && (name = next_guide(guides, path)))
		n += (size_t)snprintf(names + n, sizeof(names) - n, "%s, ", name);
	close_guides(guides);
	return wm_fail(
		err, WM_E_RANGE, 0,
		guides ? "there is no guide \"%.60s\"; there are %sauto and none" :
			 "there is no guide \"%.60s\" in guides/ beside the command "
			 "or in ../lib/waymark/guides",
		asked, names);
}

int record_guide_find(struct record_guide *guide, const char *program, const char *arch,
		      char *const *qemu_args, uint32_t values, struct wm_error *err)
{
	bool is_riscv64 = !strcmp(arch, "riscv64");
	char path[PATH_MAX];

	if (guide->off || (!guide->asked && !is_riscv64))
		return 0;
	if (!guide->asked)
		return find_by_program(guide, program, qemu_args, values, err);
	if (!is_riscv64)
		return wm_fail(err, WM_E_RANGE, 0,
			       "guides are for riscv64; the program is for %s", arch);
	if (!find_file(guide->asked, path))
		return no_guide(guide->asked, err);
	return read_guide(guide, path, guide->asked, qemu_args, values, err);
}

/* ---- what it wants ------------------------------------------------------- */

uint32_t record_guide_values(const struct record_guide *guide)
{
	return guide->told ? VALUES_LOADS | VALUES_SITES : 0;
}

const char *record_guide_prefix(const struct record_guide *guide, const char *path)
{
	const struct guide_program *program = find_program(guide, path);

	return program ? program->prefix : "";
}

static bool needs_library(const char *path, const char *library)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct elf_needs needs;
	bool found = false;

	if (fd < 0)
		return false;
	if (elf_needs_read(&needs, fd)) {
		for (size_t i = 0; i < needs.n; i++)
			found |= !strcmp(needs.libraries[i], library);
		elf_needs_fini(&needs);
	}
	close(fd);
	return found;
}

/* Variables do nothing to a program of another runtime, so they may be there for what it begins. */
bool record_guide_suits(const struct record_guide *guide, const char *path)
{
	return !guide->n_arguments || find_program(guide, path) ||
	       (guide->library && needs_library(path, guide->library));
}

/* What the runtime is to get as that argument is another one of a program that starts it. */
static int add_prefix(struct record_guide *guide, const char *prefix)
{
	for (unsigned i = 0; *prefix && i < guide->n_arguments; i++) {
		char *text;

		if (asprintf(&text, "%s%s", prefix, guide->arguments[i]) < 0)
			return -1;
		free(guide->arguments[i]);
		guide->arguments[i] = text;
	}
	return 0;
}

char **record_guide_argv(struct record_guide *guide, char **argv)
{
	char **all, **at;
	size_t n = 0;

	if (!guide->n_arguments || !record_guide_suits(guide, argv[0]))
		return argv;
	if (add_prefix(guide, record_guide_prefix(guide, argv[0])))
		return NULL;
	while (argv[n])
		n++;
	all = at = calloc(n + guide->n_arguments + 1, sizeof(*all));
	if (!all)
		return NULL;
	*at++ = argv[0];
	for (unsigned i = 0; i < guide->n_arguments; i++)
		*at++ = guide->arguments[i];
	memcpy(at, argv + 1, (n - 1) * sizeof(*all));
	return all;
}

void record_guide_fini(struct record_guide *guide)
{
	for (unsigned i = 0; i < guide->n_arguments; i++)
		free(guide->arguments[i]);
	for (unsigned i = 0; i < guide->n_variables; i++)
		free(guide->variables[i]);
	free(guide->name);
	free(guide->text);
}
