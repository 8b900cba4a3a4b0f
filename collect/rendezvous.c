// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A socket becomes visible under its final name only when it already listens: it is
 * bound as "PID.new" and renamed. So a socket that refuses a connection has nobody
 * behind it, and whoever lists the folder may remove it.
 *
 * The path of a socket has at most 108 bytes, a folder's path may have more. The folder
 * is therefore opened once, checked through its descriptor, and sockets in it are
 * reached as /proc/self/fd/N/PID: short, and the folder cannot be exchanged between
 * check and use.
 */
#include "collect/rendezvous.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/append.h"

#define BACKLOG 16
#define FOLDERS 3

/* ---- folders ------------------------------------------------------------- */

/* The n-th folder where a user's sockets may be; false when there is none there. */
static bool name_folder(unsigned n, uid_t uid, char path[PATH_MAX])
{
	const char *runtime = getenv("XDG_RUNTIME_DIR");
	struct stat st;
	int length;

	switch (n) {
	case 0: /* root may have it from the user it has become root from */
		if (!runtime || *runtime != '/' || stat(runtime, &st) || st.st_uid != uid)
			return false;
		length = snprintf(path, PATH_MAX, "%s/waymark", runtime);
		return length < PATH_MAX;
	case 1:
		snprintf(path, PATH_MAX, "/tmp/waymark-%u", (unsigned)uid);
		return true;
	default: /* whoever asks may have no such variable */
		snprintf(path, PATH_MAX, "/run/user/%u/waymark", (unsigned)uid);
		return true;
	}
}

/* A descriptor of the folder, when it is one, the user's, and for nobody else; or -1. */
static int open_folder(const char *path, uid_t uid)
{
	/* O_NOFOLLOW: in /tmp anybody may have put a symbolic link under our name. */
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	struct stat st;

	if (fd < 0)
		return -1;
	/* Owner and mode of what was opened: nobody else can have put sockets into it. */
	if (fstat(fd, &st) == 0 && st.st_uid == uid && !(st.st_mode & 077))
		return fd;
	close(fd);
	errno = EPERM;
	return -1;
}

/* The first folder that is there or can be made; -1. */
static int make_folder(uid_t uid)
{
	char path[PATH_MAX];

	/* The third folder belongs to a session manager; it is searched, never made. */
	for (unsigned i = 0; i < 2; i++) {
		int fd;

		if (!name_folder(i, uid, path))
			continue;
		(void)!mkdir(path, 0700); /* what matters is what is there then */
		fd = open_folder(path, uid);
		if (fd >= 0)
			return fd;
	}
	return -1;
}

/* Whether one that is missing is where make_folder() would put it. */
static bool can_be_made(const char *path)
{
	char parent[PATH_MAX];

	snprintf(parent, sizeof(parent), "%s", path);
	*strrchr(parent, '/') = '\0';
	return errno == ENOENT && access(parent, W_OK | X_OK) == 0;
}

/* "PID", or while it is being made "PID.new", in the folder behind a descriptor. */
static void set_address(struct sockaddr_un *address, int folder, pid_t pid,
			const char *suffix)
{
	*address = (struct sockaddr_un){ .sun_family = AF_UNIX };
	snprintf(address->sun_path, sizeof(address->sun_path), "/proc/self/fd/%d/%d%s",
		 folder, (int)pid, suffix);
}

/* ---- a collector's ------------------------------------------------------- */

/*
 * The socket gets its name when it listens: one that refuses connections counts as dead.
 */
static bool listen_in(int folder, int fd)
{
	struct sockaddr_un fresh, named;

	set_address(&fresh, folder, getpid(), ".new");
	set_address(&named, folder, getpid(), "");
	unlink(fresh.sun_path); /* of a process that had this id before */
	return fd >= 0 && bind(fd, (const struct sockaddr *)&fresh, sizeof(fresh)) == 0 &&
	       listen(fd, BACKLOG) == 0 && rename(fresh.sun_path, named.sun_path) == 0;
}

bool rendezvous_open(struct rendezvous *rendezvous)
{
	rendezvous->folder = make_folder(geteuid());
	if (rendezvous->folder < 0)
		return false;
	rendezvous->socket = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (listen_in(rendezvous->folder, rendezvous->socket))
		return true;
	rendezvous_close(rendezvous);
	return false;
}

static void remove_socket(int folder, pid_t pid)
{
	struct sockaddr_un address;

	set_address(&address, folder, pid, "");
	unlink(address.sun_path);
}

void rendezvous_close(struct rendezvous *rendezvous)
{
	remove_socket(rendezvous->folder, getpid());
	close(rendezvous->folder);
	if (rendezvous->socket >= 0)
		close(rendezvous->socket);
}

/* ---- the clients' side --------------------------------------------------- */

/* Connects; -1 with errno. */
static int connect_in(int folder, pid_t pid)
{
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0), saved;
	struct sockaddr_un address;

	set_address(&address, folder, pid, "");
	if (fd < 0 ||
	    connect(fd, (const struct sockaddr *)&address, sizeof(address)) == 0)
		return fd;
	saved = errno;
	close(fd);
	errno = saved;
	return -1;
}

/* The process id that is a socket's name; 0: not a name of ours. */
static pid_t pid_of(const char *name)
{
	char *end;
	long pid = strtol(name, &end, 10);

	/*
	 * strtol() accepts blanks and signs; a name of ours begins with a digit other
	 * than 0.
	 */
	return *name >= '1' && *name <= '9' && !*end && pid <= INT_MAX ? (pid_t)pid : 0;
}

/* Whether a process listens; a socket without one is removed. */
static bool is_listening(int folder, pid_t pid)
{
	int fd = connect_in(folder, pid);

	if (fd >= 0)
		close(fd);
	/* Other errors, such as a full backlog, do not mean that nobody listens. */
	else if (errno == ECONNREFUSED)
		remove_socket(folder, pid);
	return fd >= 0;
}

struct list {
	pid_t *pids;
	unsigned n;
	bool failed;
};

static void add(struct list *list, pid_t pid)
{
	for (unsigned i = 0; i < list->n; i++)
		if (list->pids[i] == pid)
			return;
	if (!APPEND(list->pids, list->n, pid))
		list->failed = true;
}

/* Takes `folder` over. */
static void list_folder(struct list *list, int folder)
{
	DIR *dir = fdopendir(folder);
	const struct dirent *entry;

	if (!dir) {
		close(folder);
		return;
	}
	while ((entry = readdir(dir))) {
		pid_t pid = pid_of(entry->d_name);

		if (pid && is_listening(folder, pid))
			add(list, pid);
	}
	closedir(dir);
}

int rendezvous_list(uid_t uid, bool everywhere, pid_t **pids, unsigned *n,
		    struct wm_error *err)
{
	struct list list = { 0 };
	char path[PATH_MAX];
	bool more = true;

	for (unsigned i = 0; more && i < FOLDERS; i++) {
		int folder;

		if (!name_folder(i, uid, path))
			continue;
		folder = open_folder(path, uid);
		/*
		 * The folders after one that exists are searched only on request: a
		 * recorder of this user would have made its socket in the first.
		 */
		more = everywhere || (folder < 0 && !can_be_made(path));
		if (folder >= 0)
			list_folder(&list, folder);
	}
	if (list.failed) {
		free(list.pids);
		return wm_fail_nomem(err, "the list of recordings");
	}
	*pids = list.pids;
	*n = list.n;
	return 0;
}

int rendezvous_connect(uid_t uid, pid_t pid, struct wm_error *err)
{
	char path[PATH_MAX];

	for (unsigned i = 0; i < FOLDERS; i++) {
		int folder = name_folder(i, uid, path) ? open_folder(path, uid) : -1, fd;

		if (folder < 0)
			continue;
		fd = connect_in(folder, pid);
		close(folder);
		if (fd >= 0)
			return fd;
	}
	return wm_fail(err, WM_E_IO, 0, "process %d is not recording", (int)pid);
}
