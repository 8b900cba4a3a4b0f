// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Resolves paths inside a sysroot. The host's kernel would resolve an absolute symbolic
 * link there in the host's own root. So links are followed here, one component at a time.
 * Invariant: the resolved part never leaves the sysroot, not even by "..".
 *
 * Example with root R: /usr/bin/awk is a link to /etc/alternatives/awk, which is one to
 * /usr/bin/mawk. done is R/usr/bin/awk; the absolute target makes it R again, and the
 * rest "/etc/alternatives/awk"; in the end done is R/usr/bin/mawk.
 */
#include "cli/record/sysroot.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LINKS_MAX = 40 }; /* as Linux has it */

/* QEMU's order: the last -L wins over the variable. */
const char *sysroot_of(char *const *qemu_args)
{
	const char *folder = getenv("QEMU_LD_PREFIX");

	for (; qemu_args[0]; qemu_args++)
		if (!strcmp(qemu_args[0], "-L") && qemu_args[1])
			folder = qemu_args[1];
	return folder;
}

/*
 * A path that is being resolved: the finished part, which begins with the root and has no
 * links, and the rest, which is still to be walked.
 */
struct walk {
	char done[PATH_MAX];
	size_t root_length;
	char rest[2 * PATH_MAX];
	unsigned links;
};

/* The search begins after the root, so ".." at the top stays there, as in a real root. */
static void leave_folder(struct walk *walk)
{
	char *slash = strrchr(walk->done + walk->root_length, '/');

	if (slash)
		*slash = 0;
}

/* If the last component is a link, puts its target before the rest. */
static bool follow(struct walk *walk)
{
	char target[PATH_MAX], rest[sizeof(walk->rest)];
	ssize_t n = readlink(walk->done, target, sizeof(target) - 1);

	if (n < 0)
		return true; /* not a link, or it does not exist: a later step fails */
	target[n] = 0;
	if (++walk->links > LINKS_MAX || snprintf(rest, sizeof(rest), "%s/%s", target,
						  walk->rest) >= (int)sizeof(rest))
		return false;
	strcpy(walk->rest, rest);
	if (*target == '/')
		walk->done[walk->root_length] = 0;
	else
		leave_folder(walk);
	return true;
}

/*
 * Moves the first component of the rest to the finished part and follows it. False when a
 * name is too long or there are too many links.
 */
static bool enter(struct walk *walk)
{
	size_t skip = strspn(walk->rest, "/"), length = strcspn(walk->rest + skip, "/");
	size_t used = strlen(walk->done);
	char name[NAME_MAX + 1];

	if (length > NAME_MAX || used + length + 2 > sizeof(walk->done))
		return false;
	snprintf(name, sizeof(name), "%.*s", (int)length, walk->rest + skip);
	memmove(walk->rest, walk->rest + skip + length,
		strlen(walk->rest + skip + length) + 1);
	if (!length || !strcmp(name, "."))
		return true;
	if (!strcmp(name, "..")) {
		leave_folder(walk);
		return true;
	}
	sprintf(walk->done + used, "/%s", name);
	return follow(walk);
}

/*
 * Resolves `path` as a program with the root directory `root` would, into out[PATH_MAX].
 * Terminates: each step takes a component from the rest, and at most LINKS_MAX links add
 * some.
 */
static bool resolve(const char *root, const char *path, char *out)
{
	struct walk walk = { .root_length = strlen(root) };

	if (walk.root_length >= sizeof(walk.done) || strlen(path) >= sizeof(walk.rest))
		return false;
	strcpy(walk.done, root);
	strcpy(walk.rest, path);
	while (*walk.rest)
		if (!enter(&walk))
			return false;
	strcpy(out, walk.done);
	return true;
}

static bool is_program(const char *path)
{
	struct stat st;

	return !stat(path, &st) && S_ISREG(st.st_mode) && !access(path, X_OK);
}

/* The folders of PATH that a guest's system usually has. */
bool sysroot_find_program(const char *root, const char *name, char *path,
			  char *name_there)
{
	static const char *const folders[] = { "/usr/local/bin",  "/usr/bin",  "/bin",
					       "/usr/local/sbin", "/usr/sbin", "/sbin" };
	char inside[PATH_MAX];

	for (size_t i = 0; i < sizeof(folders) / sizeof(*folders); i++) {
		if (snprintf(inside, sizeof(inside), "%s/%s", folders[i], name) <
			    PATH_MAX &&
		    snprintf(name_there, PATH_MAX, "%s%s", root, inside) < PATH_MAX &&
		    resolve(root, inside, path) && is_program(path))
			return true;
	}
	return false;
}
