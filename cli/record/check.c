// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Names in --start, --only and the like are looked up before the guest starts, so that a
 * typing error does not cost a whole run. A name is refused only when it certainly does
 * not exist: all files that the program is loaded with were found (foresight->complete),
 * and none has it. Code that is loaded later by dlopen() or execve() is named together
 * with its file, and is not refused while that file is missing. A machine is loaded with its
 * --kernel files; what its Linux maps and loads comes later.
 *
 * Example: --only sortt of a dynamic program whose libraries were all found fails with
 * "did you mean "sort"?"; --only libplugin.so:sortt is accepted, and a missing match is
 * reported at the end (record_judge()).
 */
#include "cli/record/check.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "cli/command.h"
#include "cli/fail.h"
#include "cli/record/sysroot.h"
#include "collect/foresight.h"
#include "program/elf/file.h"
#include "program/inlines.h"
#include "program/suggest.h"

/* ---- before the run ------------------------------------------------------ */

const char *guest_variable(char *const *qemu_args, const char *name)
{
	const char *value = getenv(name);
	size_t length = strlen(name);

	for (; qemu_args[0]; qemu_args++)
		if (!strcmp(qemu_args[0], "-E") && qemu_args[1] &&
		    !strncmp(qemu_args[1], name, length) && qemu_args[1][length] == '=')
			value = qemu_args[1] + length + 1;
	return value;
}

/*
 * QEMU ignores an -L folder that does not exist, so a typing error would go unnoticed
 * until the guest's loader is not found.
 */
static int check_folders(char *const *qemu_args, struct wm_error *err)
{
	struct stat about;

	for (; qemu_args[0]; qemu_args++) {
		const char *folder = qemu_args[1];

		if (strcmp(qemu_args[0], "-L") != 0 || !folder)
			continue;
		if (stat(folder, &about) || !S_ISDIR(about.st_mode))
			return wm_fail(err, WM_E_RANGE, 0,
				       "-L takes a folder; \"%.200s\" is not one",
				       folder);
	}
	return 0;
}

/* The end of a path that is too long for a sentence, which has the file's name; behind "...". */
static const char *end_of_path(const char *path)
{
	enum { SHOWN = 60 };
	size_t length = strlen(path);
	const char *from = length > SHOWN ? strchr(path + length - SHOWN, '/') : NULL;

	return from ? from : length > SHOWN ? path + length - SHOWN : path;
}

/*
 * Fails with "PROGRAM has no WHAT NAME" or "neither PROGRAM nor its libraries have a
 * ...".
 */
static int lacks(const struct foresight *foresight, const char *what, const char *name,
		 const char *near, struct wm_error *err)
{
	bool alone = foresight->n < 2;
	const char *path = foresight->files[0].path, *shown = end_of_path(path);

	if (foresight->machine)
		return wm_fail(err, WM_E_RANGE, 0,
			       "no --kernel file has a %s \"%.60s\"%s%s", what, name,
			       near,
			       !foresight->follows ? "" :
			       *near		   ? " FILE:NAME is of another file" :
						     "; FILE:NAME is of another file");
	return wm_fail(err, WM_E_RANGE, 0, "%s%s%s%s %s \"%.60s\"%s",
		       alone ? "" : "neither ", shown > path ? "..." : "", shown,
		       alone ? " has no" : " nor its libraries have a", what, name, near);
}

/* Puts which function of the files may have been meant into text[SUGGEST_TEXT]. */
static const char *suggest(char *text, const struct foresight *foresight,
			   const char *typed)
{
	struct suggestion suggestion = { .nearest.typed = typed };
	char **words, build_id[ELF_BUILD_ID_TEXT];
	size_t n;

	foresight_names(foresight, &words, &n);
	for (size_t i = 0; i < n; i++) {
		suggest_symbol(&suggestion, words[i]);
		free(words[i]);
	}
	free(words);
	for (size_t i = 0; i < foresight->n; i++) {
		const char *path = foresight->files[i].path;
		int fd = elf_file_open(path);

		if (fd < 0)
			continue;
		elf_file_build_id(fd, build_id);
		suggest_inlined(&suggestion, fd, path, build_id);
	}
	return suggest_text(text, &suggestion);
}

/*
 * Puts a description of where a function is inlined into places[n]; "" when it is
 * nowhere.
 */
static void find_inlined(const struct foresight *foresight,
			 const struct landmark *landmark, char *places, size_t n)
{
	struct inlines inlines;

	inlines_init(&inlines, landmark->name);
	for (size_t i = 0; i < foresight->n; i++) {
		const char *path = foresight->files[i].path;

		if (!landmark->module || landmarks_fit_file(landmark->module, path))
			inlines_add(&inlines, (uint32_t)i, path);
	}
	inlines_places(&inlines, places, n);
	inlines_fini(&inlines);
}

/*
 * A function that is inlined everywhere exists in debugging information only; its user
 * needs other advice than one who mistyped a name.
 */
static int no_symbol(const struct foresight *foresight, const char *what,
		     const struct landmark *landmark, struct wm_error *err)
{
	char places[256], near[SUGGEST_TEXT];

	find_inlined(foresight, landmark, places, sizeof(places));
	if (*places)
		return wm_fail(err, WM_E_RANGE, 0,
			       "\"%.60s\" has no code of its own: it is inlined %s; %s",
			       landmark->name, places,
			       landmark->no_inline ?
				       "leave out --no-inline to mean that" :
				       "name the functions that it is inlined into");
	return lacks(foresight, what, landmark->name,
		     suggest(near, foresight, landmark->name), err);
}

/* `below` and `above` are the nearest lines with code, 0 when there is none. */
static int no_line(const struct foresight *foresight, const struct landmark *landmark,
		   const struct landmark_find *find, struct wm_error *err)
{
	unsigned long long line = landmark->value;

	if (!find->source && *find->near)
		return wm_fail(
			err, WM_E_RANGE, 0,
			"the debugging information of %s has no file \"%.80s\"; did "
			"you mean \"%s\"?",
			foresight->files[0].path, landmark->name, find->near);
	if (!find->source)
		return wm_fail(err, WM_E_RANGE, 0,
			       "the debugging information of %s has no file \"%.80s\"; "
			       "was it compiled with -g?",
			       foresight->files[0].path, landmark->name);
	if (find->below && find->above)
		return wm_fail(err, WM_E_RANGE, 0,
			       "%.80s has no code in line %llu; the nearest lines "
			       "with code are %u and %u",
			       landmark->name, line, find->below, find->above);
	return wm_fail(err, WM_E_RANGE, 0,
		       "%.80s has no code in line %llu; the nearest line with code is %u",
		       landmark->name, line, find->below ? find->below : find->above);
}

/*
 * The message for a name that certainly does not exist. A symbol that is shorter than the
 * offset exists, and gets a message of its own.
 */
static int not_found(const struct foresight *foresight, const struct landmark *landmark,
		     const struct landmark_find *find, struct wm_error *err)
{
	switch (landmark->kind) {
	case LANDMARK_SYMBOL:
		if (find->bytes)
			return wm_fail(err, WM_E_RANGE, 0,
				       "%.60s has %llu bytes: byte %llu is after its end",
				       landmark->name, (unsigned long long)find->bytes,
				       (unsigned long long)landmark->value);
		return no_symbol(foresight, "symbol", landmark, err);
	case LANDMARK_LINE:
		return no_line(foresight, landmark, find, err);
	case LANDMARK_MODULE:
		return wm_fail(
			err, WM_E_RANGE, 0,
			"no --kernel file has a name that fits \"%.60s\"; programs "
			"of the machine are chosen by process:NAME",
			landmark->module);
	default:
		return no_symbol(foresight, "function", landmark, err);
	}
}

/*
 * Whether the name would have been found if it existed. An address or a file needs no
 * lookup.
 */
static bool should_be_there(const struct foresight *foresight,
			    const struct landmark *landmark,
			    const struct landmark_find *find)
{
	bool is_file = landmark->kind == LANDMARK_MODULE;

	if (landmark->kind == LANDMARK_ADDRESS)
		return false;
	if (foresight->machine && !foresight->follows)
		return true;
	/* "*:work" is any file's, of those to come, too. */
	if (foresight->machine && landmark->module && !strcmp(landmark->module, "*"))
		return false;
	if (is_file)
		return false;
	return landmark->module ? find->module : foresight->complete;
}

/*
 * A function can be inlined in some places and have code of its own. Values are recorded
 * in the latter only, which is easily overlooked. Patterns do not name one function, so
 * they get no remark.
 */
static void remark_inlined(const struct foresight *foresight,
			   const struct landmark *landmark)
{
	bool is_value = landmark->sense == ORDER_VALUE &&
			landmark->kind == LANDMARK_SYMBOL;
	char places[256];

	if (!is_value || strpbrk(landmark->name, "*?["))
		return;
	find_inlined(foresight, landmark, places, sizeof(places));
	if (*places)
		remark("%s is also inlined %s: there it is part of the function that it is "
		       "inlined into",
		       landmark->name, places);
}

/* Who names an IFUNC means the function that it chooses, whose name is another. */
static void remark_chooser(const struct landmark *landmark,
			   const struct landmark_find *find)
{
	if (find->choosers && !strpbrk(landmark->name, "*?["))
		remark("%s is an IFUNC: its code only chooses a function, once; `waymark "
		       "hot` shows the name of the chosen one",
		       landmark->name);
}

/* ORDER_PLACES_MAX is the size of the list in shared memory, which the plugin reads. */
static int check(const struct steering *steering, struct foresight *foresight,
		 struct wm_error *err)
{
	if (!foresight_find(foresight, steering->landmarks, steering->n_landmarks))
		return wm_fail_nomem(err, "names of code");
	if (foresight->n_places > ORDER_PLACES_MAX)
		return wm_fail(err, WM_E_RANGE, 0,
			       "%zu places in the program's files match; the limit is %u",
			       foresight->n_places, ORDER_PLACES_MAX);
	for (size_t i = 0; i < steering->n_landmarks; i++) {
		const struct landmark *landmark = &steering->landmarks[i];
		const struct landmark_find *find = &foresight->finds[i];

		if (!find->places && should_be_there(foresight, landmark, find))
			return not_found(foresight, landmark, find, err);
		if (find->places)
			remark_inlined(foresight, landmark);
		remark_chooser(landmark, find);
	}
	return 0;
}

/*
 * foresight->n is 0 when the program's file could not be read: then nothing is checked.
 */
static int check_names(struct steering *steering, struct foresight *foresight,
		       const char *program, char *const *qemu_args, struct wm_error *err)
{
	struct foresight_view view = {
		.program = program,
		.sysroot = sysroot_of(qemu_args),
		.library_path = guest_variable(qemu_args, "LD_LIBRARY_PATH"),
		.preload = guest_variable(qemu_args, "LD_PRELOAD"),
	};

	if (!steering->n_landmarks)
		return 0;
	foresight_init(foresight, &view);
	steering->foresight = foresight;
	return foresight->n ? check(steering, foresight, err) : 0;
}

int record_check(struct steering *steering, struct foresight *foresight,
		 const char *program, char *const *qemu_args, struct wm_error *err)
{
	int ret = check_folders(qemu_args, err);

	return ret ? ret : check_names(steering, foresight, program, qemu_args, err);
}

int record_check_machine(struct steering *steering, struct foresight *foresight,
			 const struct kernel_file *kernels, bool follows,
			 struct wm_error *err)
{
	if (!steering_has_names(steering))
		return 0;
	foresight_init_machine(foresight, kernels, follows);
	steering->foresight = foresight;
	if (!foresight->n)
		return wm_fail(err, WM_E_RANGE, 0,
			       "names of code in a machine are those of --kernel files, "
			       "and none is given");
	return check(steering, foresight, err);
}

/* ---- after the run ------------------------------------------------------- */

/* Whether a window that did not close deserves a remark. */
static bool should_close(const struct steering *steering,
			 const struct steering_outcome *outcome, uint32_t window)
{
	const struct order_window *bounds = &steering->windows[window].bounds;

	/* A limit may have ended the recording first. */
	return bounds->to.kind != POINT_NONE && !outcome->closed[window] &&
	       !outcome->enough && !steering->max_insns;
}

/*
 * A window that never opened is a failure, because nothing of it is in the trace. One
 * that never closed extends to the end of the run, which is only worth a remark.
 */
static int judge_windows(const struct steering *steering,
			 const struct steering_outcome *outcome)
{
	int ret = EXIT_OK;

	for (uint32_t i = 0; i < steering->n_windows; i++) {
		const char *text = steering->windows[i].text;

		if (steering_missed(steering, outcome, i))
			ret = fail("the window %.200s never opened: its start was not "
				   "reached",
				   text);
		else if (should_close(steering, outcome, i))
			remark("the window %.200s never closed: its end was not "
			       "reached",
			       text);
	}
	return ret;
}

static bool is_filter(const struct landmark *landmark)
{
	return landmark->sense == ORDER_ONLY || landmark->sense == ORDER_EXCEPT;
}

/*
 * Whether a landmark that was never found is reported here. Windows that never opened are
 * reported by judge_windows(), and an address needs no file.
 */
static bool is_looked_for(const struct landmark *landmark)
{
	return landmark->kind != LANDMARK_ADDRESS &&
	       (is_filter(landmark) || landmark->sense == ORDER_VALUE);
}

/*
 * EXIT_ERROR when a part that the user named was not recorded. A filter that matched
 * nothing is only a remark as long as something else was recorded.
 */
int record_judge(const struct steering *steering, const struct steering_outcome *outcome)
{
	bool filters = steering->n_names || steering->program_only;
	int ret = judge_windows(steering, outcome);

	for (size_t i = 0; i < steering->n_landmarks; i++) {
		const struct landmark *landmark = &steering->landmarks[i];

		filters |= is_filter(landmark);
		if (is_looked_for(landmark) && !outcome->finds[i].places)
			remark("%.200s was not found in any file that the guest mapped",
			       landmark->text);
	}
	if (outcome->overflow)
		ret = fail("more than %u places match: the rest were ignored",
			   ORDER_PLACES_MAX);
	if (!ret && filters && !outcome->insns)
		ret = fail("nothing was recorded: no code ran that the filters let "
			   "through");
	return ret;
}
