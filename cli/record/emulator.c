// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Answers two questions about an emulator: its version, and whether it takes plugins. One
 * start of QEMU, about 5 ms, answers both. User-mode QEMU handles options in order, so
 *	qemu-riscv64 -plugin x -version
 * prints the version and exits before it loads any plugin. One that was built without
 * plugins (such as that of Debian 13, and all static ones) fails, because it does not
 * know -plugin.
 *
 * QEMU checks the version of the plugin API that a plugin was built for, and accepts a
 * range. So each plugin works with a range of QEMU versions; plugins[] has a row for each
 * one that is built. Example: QEMU 7.2 is 702 and takes libwaymark-v1.so; 9.0 is 900, for
 * which there is none.
 */
#include "cli/record/emulator.h"

#include "base/child.h"
#include "base/error.h"
#include "cli/find.h"
#include "cli/record/emulators.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static const struct plugin {
	unsigned first, last; /* QEMU versions: major * 100 + minor */
	const char *file;
} plugins[] = {
	{ 702, 801, "libwaymark-v1.so" },
	{ 902, 1002, "libwaymark-v4.so" },
	{ 1101, 1101, "libwaymark-v7.so" },
};

enum { PLUGINS = sizeof(plugins) / sizeof(*plugins) };

/* The first QEMU of which some machines are recorded exactly, and the first that tells traps. */
#define SYSTEM_FIRST 1000u
#define SYSTEM_TELLS 1002u
#define SYSTEM_BLIND 702u /* the one whose machines are recorded without their traps */

/*
 * Reads `fd` to its end. text[size] gets what fits and a NUL; the rest is read and
 * dropped: otherwise the writer would block on a full pipe, and the caller would wait for
 * it for ever.
 */
static void drain(int fd, char *text, size_t size)
{
	char rest[512];
	size_t used = 0;
	ssize_t got;

	for (;;) {
		bool full = used + 1 >= size;

		got = full ? read(fd, rest, sizeof(rest)) :
			     read(fd, text + used, size - 1 - used);
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			break;
		if (!full)
			used += (size_t)got;
	}
	text[used] = '\0';
}

/*
 * Both streams go to `out`: QEMU prints its version on one and its errors on the other.
 */
static int spawn_into(const char *const argv[], char **environment, int out, pid_t *pid)
{
	posix_spawn_file_actions_t actions;
	int ret;

	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY,
					 0);
	posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
	posix_spawn_file_actions_adddup2(&actions, out, STDERR_FILENO);
	ret = posix_spawn(pid, argv[0], &actions, NULL, (char *const *)argv, environment);
	posix_spawn_file_actions_destroy(&actions);
	return ret;
}

/*
 * In a child of child_fork(): runs argv[] with its output into `out`, or writes errno to
 * `report`. A grandchild does the execve(), because a process that calls it sends SIGCHLD
 * to its parent at its end.
 */
__attribute__((noreturn)) static void run_into(const char *const argv[],
					       char **environment, int out, int report)
{
	int failed, status = 0;
	pid_t pid;

	signal(SIGCHLD, SIG_DFL); /* if ignored, waitpid() would find no status */
	failed = spawn_into(argv, environment, out, &pid);
	(void)!write(report, &failed, failed ? sizeof(failed) : 0);
	if (!failed)
		waitpid(pid, &status, 0);
	_exit(WIFEXITED(status) ? WEXITSTATUS(status) : 128);
}

/*
 * Collects the output and the exit status; -1 with errno when the program did not run.
 * The output ends when all writers have closed the pipe, so it is read first: waiting for
 * the child before would be a deadlock as soon as the pipe is full.
 */
static int follow(pid_t child, int out, int report, char *text, size_t size)
{
	int failed = 0, status;
	ssize_t n;

	drain(out, text, size);
	do
		n = read(report, &failed, sizeof(failed));
	while (n < 0 && errno == EINTR);
	status = child_wait(child);
	errno = failed;
	return failed ? -1 : WEXITSTATUS(status);
}

/* The parent closes its copies of the writing ends, otherwise drain() would never end. */
static int ask(const char *const argv[], char **environment, char *text, size_t size)
{
	int ends[2], report[2], status = -1;
	pid_t child;

	if (pipe2(ends, O_CLOEXEC))
		return -1;
	/* errno stays what it is: these are open, and closing them succeeds. */
	if (pipe2(report, O_CLOEXEC)) {
		close(ends[0]);
		close(ends[1]);
		return -1;
	}
	child = child_fork();
	if (!child)
		run_into(argv, environment, ends[1], report[1]);
	close(ends[1]);
	close(report[1]);
	if (child > 0)
		status = follow(child, ends[0], report[0], text, size);
	close(ends[0]);
	close(report[0]);
	return status;
}

int emulator_ask(const char *const argv[], char *text, size_t size)
{
	return ask(argv, environ, text, size);
}

/* As emulator_ask(), without the variables that QEMU takes for options. */
static int ask_without_options(const char *const argv[], char *text, size_t size)
{
	size_t n = 0, kept = 0;
	char **environment;
	int status;

	while (environ[n])
		n++;
	environment = calloc(n + 1, sizeof(*environment));
	if (!environment)
		return -1;
	for (size_t i = 0; i < n; i++)
		if (strncmp(environ[i], "QEMU_", 5) != 0)
			environment[kept++] = environ[i];
	status = ask(argv, environment, text, size);
	free(environment);
	return status;
}

/*
 * Parses "qemu-riscv64 version 7.2.22 (Debian ...)". Returns major * 100 + minor, 0 when
 * the text has no version; `version` gets "7.2.22".
 */
static unsigned parse_version(const char *text, char *version, size_t size)
{
	const char *at = strstr(text, " version ");
	unsigned major, minor;
	size_t length = 0;

	if (!at || sscanf(at, " version %u.%u", &major, &minor) != 2 || minor > 99)
		return 0;
	at += strlen(" version ");
	while (length + 1 < size &&
	       (isalnum((unsigned char)at[length]) || at[length] == '.'))
		length++;
	memcpy(version, at, length);
	version[length] = '\0';
	return major * 100 + minor;
}

void emulator_version(const char *path, char *version, size_t size)
{
	const char *const argv[] = { path, "-version", NULL };
	char text[1024];

	*version = '\0';
	if (emulator_ask(argv, text, sizeof(text)) == 0)
		parse_version(text, version, size);
}

/*
 * Whether the text is that of a full-system QEMU, "QEMU emulator version 10.2.2";
 * user-mode QEMU prints its own name, "qemu-riscv64 version 7.2.22".
 */
static bool is_system(const char *text)
{
	return !strncmp(text, "QEMU emulator", 13);
}

/* It did not start: errno says why. */
static void fail_start(const struct emulator *emulator, struct wm_error *err)
{
	/* As when the guest's program stands where --system takes the emulator. */
	if (errno == ENOEXEC && emulator->system)
		wm_fail(err, WM_E_IO, 0,
			"%s is no program of this machine: --system takes an emulator, "
			"such as qemu-system-riscv64, and its options",
			emulator->path);
	else if (access("/dev/null", R_OK)) /* its input; a chroot may have no /dev */
		wm_fail_errno(err, "cannot open /dev/null");
	else
		wm_fail_errno(err, "cannot run %s", emulator->path);
}

/* It started, or its dynamic linker did, and `text` is all that it printed: no version. */
static void fail_version(const struct emulator *emulator, const char *text,
			 struct wm_error *err)
{
	const char *lacks = strstr(text, "error while loading shared libraries");

	/* As after an upgrade of the system that brought other libraries. */
	if (lacks)
		wm_fail(err, WM_E_IO, 0,
			"cannot run %s: %.*s; `waymark setup-qemu%s` makes one for this "
			"system",
			emulator->path, (int)strcspn(lacks, "\n"), lacks,
			emulator->system ? " --system" : "");
	else
		wm_fail(err, WM_E_FORMAT, 0, "%s is not QEMU: it prints no version",
			emulator->path);
}

/*
 * Sets emulator->version and returns it as a number; 0 with *err set when it cannot be
 * used.
 */
static unsigned probe(struct emulator *emulator, struct wm_error *err)
{
	const char *const argv[] = { emulator->path, "-plugin", "waymark", "-version",
				     NULL };
	const char *const plain[] = { emulator->path, "-version", NULL };
	char text[1024];
	int status = emulator_ask(argv, text, sizeof(text));
	unsigned version;

	if (status < 0) {
		fail_start(emulator, err);
		return 0;
	}
	version = parse_version(text, emulator->version, sizeof(emulator->version));
	/*
	 * One that refuses a variable, as QEMU_LOG=nonsense, is QEMU all the same: when it is
	 * started with the guest, it says itself what is wrong.
	 */
	if (!version) {
		status = ask_without_options(argv, text, sizeof(text));
		version =
			parse_version(text, emulator->version, sizeof(emulator->version));
	}
	if (status == 0 && version && is_system(text) == emulator->system)
		return version;

	/*
	 * Without -plugin, to distinguish a QEMU that lacks plugins from other programs.
	 */
	if (emulator_ask(plain, text, sizeof(text)) != 0 ||
	    !parse_version(text, emulator->version, sizeof(emulator->version)))
		fail_version(emulator, text, err);
	else if (is_system(text) && !emulator->system)
		wm_fail(err, WM_E_FORMAT, 0,
			"%s emulates a whole machine; recording needs a user-mode QEMU, "
			"or record --system",
			emulator->path);
	else if (!is_system(text) && emulator->system)
		wm_fail(err, WM_E_FORMAT, 0,
			"%s emulates programs, not a whole machine; --system needs a "
			"qemu-system-<arch>",
			emulator->path);
	else
		wm_fail(err, WM_E_FORMAT, 0,
			"%s (QEMU %s) was built without plugins; `waymark setup-qemu%s` "
			"makes one that has them, or give another%s",
			emulator->path, emulator->version,
			emulator->system ? " --system" : "",
			emulator->system ? "" : " with --qemu");
	return 0;
}

/* "7.2 to 8.1, 9.2 to 10.2, and 11.1" */
static void list_versions(char *text, size_t size)
{
	for (unsigned i = 0; i < PLUGINS; i++) {
		const struct plugin *plugin = &plugins[i];
		size_t used = strlen(text);

		snprintf(text + used, size - used, "%s%u.%u",
			 !used		  ? "" :
			 i + 1 == PLUGINS ? ", and " :
					    ", ",
			 plugin->first / 100, plugin->first % 100);
		used = strlen(text);
		if (plugin->last != plugin->first)
			snprintf(text + used, size - used, " to %u.%u",
				 plugin->last / 100, plugin->last % 100);
	}
}

/* Versions between the ranges have plugin APIs that no plugin here is built for. */
static int find_plugin(struct emulator *emulator, unsigned version, struct wm_error *err)
{
	char installed[64], supported[128] = "";
	unsigned i;

	for (i = 0; i < PLUGINS; i++)
		if (version >= plugins[i].first && version <= plugins[i].last)
			break;
	if (i == PLUGINS) {
		list_versions(supported, sizeof(supported));
		return wm_fail(err, WM_E_FORMAT, 0,
			       "%s is QEMU %s; Waymark works with %s: `waymark "
			       "setup-qemu` makes such a one, or give it with --qemu",
			       emulator->path, emulator->version, supported);
	}
	snprintf(installed, sizeof(installed), "../lib/waymark/%s", plugins[i].file);
	if (!find_own(emulator->plugin, plugins[i].file, installed))
		return wm_fail(err, WM_E_IO, 0,
			       "the plugin %s is neither beside the command nor in "
			       "../lib/waymark: %s",
			       plugins[i].file, find_own_advice());
	return WM_OK;
}

const char *emulator_plugin(unsigned index)
{
	return index < PLUGINS ? plugins[index].file : NULL;
}

/* The oldest that tell no traps are recorded without them, if that is asked for. */
static int check_traps(struct emulator *emulator, unsigned version, struct wm_error *err)
{
	emulator->blind = version < SYSTEM_FIRST;
	emulator->silent = version < SYSTEM_TELLS;
	if (!emulator->blind || (version == SYSTEM_BLIND && emulator->inexact))
		return WM_OK;
	return wm_fail(
		err, WM_E_FORMAT, 0,
		"%s is QEMU %s, which does not tell plugins where traps leave the code: "
		"take %u.%u (`waymark setup-qemu --system`)%s",
		emulator->path, emulator->version, SYSTEM_TELLS / 100, SYSTEM_TELLS % 100,
		version == SYSTEM_BLIND ? ", or give --inexact" : "");
}

int emulator_check(struct emulator *emulator, struct wm_error *err)
{
	unsigned version;

	*emulator->version = '\0';
	version = probe(emulator, err);
	if (!version)
		return WM_E_FORMAT;
	if (emulator->system && check_traps(emulator, version, err))
		return err->code;
	return find_plugin(emulator, version, err);
}

/* ---- where it is --------------------------------------------------------- */

/* "9.2" is a version, "qemu-riscv64" a name and "./qemu" a path. */
static bool is_version(const char *asked)
{
	return isdigit((unsigned char)*asked) &&
	       asked[strspn(asked, "0123456789.")] == '\0';
}

/*
 * Finds the newest usable emulator in the cache, of version `asked` unless that is NULL.
 */
static bool find_cached(struct emulator *emulator, const char *arch, const char *asked,
			struct wm_error *err)
{
	char(*versions)[CACHE_VERSION];
	unsigned n = cache_versions(&versions, arch);
	bool found = false;

	for (unsigned i = 0; i < n && !found; i++)
		found = (!asked || cache_version_is(versions[i], asked)) &&
			cache_emulator(emulator->path, versions[i], arch) &&
			!emulator_check(emulator, err);
	free(versions);
	return found;
}

/*
 * The three forms of --qemu: a path, a version in the cache, a name in PATH. The error of
 * a version is set first, so that a broken emulator in the cache can replace it by its
 * own.
 */
static int find_asked(struct emulator *emulator, const char *arch, const char *asked,
		      struct wm_error *err)
{
	if (strchr(asked, '/')) {
		if (find_absolute(emulator->path, asked) && !access(emulator->path, X_OK))
			return emulator_check(emulator, err);
		return wm_fail(err, WM_E_IO, 0, "no QEMU at %s", asked);
	}
	if (is_version(asked)) {
		wm_fail(err, WM_E_IO, 0,
			"no QEMU %s for %s in the cache; `waymark setup-qemu %s` makes "
			"it",
			asked, arch, asked);
		return find_cached(emulator, arch, asked, err) ? WM_OK : err->code;
	}
	if (find_in_path(emulator->path, asked))
		return emulator_check(emulator, err);
	return wm_fail(err, WM_E_IO, 0,
		       "no %s in PATH; on Debian 12, `apt install qemu-user` brings "
		       "it, or give its path with --qemu",
		       asked);
}

int emulator_find(struct emulator *emulator, const char *arch, const char *asked,
		  struct wm_error *err)
{
	/*
	 * When nothing in the cache can be used, the error is that of PATH, where users
	 * look first.
	 */
	struct wm_error ignored;
	char name[32];

	if (asked)
		return find_asked(emulator, arch, asked, err);
	snprintf(name, sizeof(name), "qemu-%s", arch);
	if (!find_in_path(emulator->path, name))
		wm_fail(err, WM_E_IO, 0,
			"no %s in PATH; `waymark setup-qemu` makes one, on Debian 12 "
			"`apt install qemu-user` brings it, or give its path with "
			"--qemu",
			name);
	else if (!emulator_check(emulator, err))
		return WM_OK;
	return find_cached(emulator, arch, NULL, &ignored) ? WM_OK : err->code;
}

int emulator_find_system(struct emulator *emulator, const char *name,
			 struct wm_error *err)
{
	struct wm_error ignored;
	const char *arch = strncmp(name, "qemu-", 5) ? NULL : name + 5;

	emulator->system = true;
	if (strchr(name, '/'))
		return find_asked(emulator, NULL, name, err);
	if (!find_in_path(emulator->path, name))
		wm_fail(err, WM_E_IO, 0,
			"no %s in PATH; `waymark setup-qemu --system` makes one for "
			"riscv64, aarch64 or x86_64, or give the path of another",
			name);
	else if (!emulator_check(emulator, err))
		return WM_OK;
	/* The cache has it as qemu-system-<arch>, beside those of user mode. */
	return arch && find_cached(emulator, arch, NULL, &ignored) ? WM_OK : err->code;
}
