// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The guest's execve(path, argv, envp) becomes
 *	execve(QEMU, { QEMU, its options, "-0", argv[0], path, argv[1], ... }, envp)
 * in which the options have our -plugin, with the path of the shared memory, the process's
 * name and the mask of signals. The guest's strings are passed to the kernel where they are;
 * only the arrays of pointers are new.
 *
 * Invariant: a call that would fail or that is not for this QEMU is left to QEMU, so
 * errors and native programs behave as without us. That holds for unreadable arguments,
 * files of other machines, and scripts whose interpreter is for another machine.
 *
 * execveat() is the same with a path through its descriptor, as Linux makes one.
 *
 * Example: "#! /bin/sh -e" in ./build, called with "x": path becomes /bin/sh, followed by
 * "-e", "./build", "x", as Linux does it.
 */
#include "plugin/user/exec.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/shebang.h"
#include "format/arena.h"
#include "plugin/core/hold.h"
#include "plugin/core/link.h"
#include "plugin/core/probes.h"
#include "plugin/core/slot.h"
#include "plugin/qemu_api.h"
#include "plugin/user/guest.h"
#include "plugin/user/handout.h"
#include "plugin/user/lend.h"
#include "plugin/user/mask.h"
#include "plugin/user/title.h"

#define WORDS_MAX (1u << 20) /* of an argument vector */
#define SCRIPTS_MAX 6	     /* files: the kernel takes five scripts, and a program */
#define MASK_BYTES 24	     /* ",mask=" and 16 digits */
#define TITLE_ARGUMENT_BYTES (6 + TITLE_HEX) /* ",name=" */
#define MEMORY_BYTES 16			     /* ",fd=" and a descriptor */
#define GUIDE_BYTES (19 + GUIDE_NAME_BYTES)  /* ",guide=" and a name, ",fetches=yes" */
/* Version 1 is that of QEMU 7.2, which has no execveat(), and of 8.0, which has. */
#define HAS_EXECVEAT (QEMU_PLUGIN_API >= 2)

static const struct abi *abi;
static const struct qemu_line *line;
static char memory[64]; /* the path of the shared memory */
static char guest_program[PATH_MAX];
/* The board's number to which this thread's execve() has added a process; NULL: none. */
static __thread __attribute__((tls_model("initial-exec"))) _Atomic uint32_t *counted;

void exec_init(const struct abi *guest, const struct qemu_line *started,
	       const char *shared)
{
	line = started;
	abi = line ? guest : NULL; /* NULL: nothing is followed */
	snprintf(memory, sizeof(memory), "%s", shared);
	/*
	 * Absolute, because the guest may change its directory before it executes
	 * /proc/self/exe.
	 */
	if (!line || !*line->program || !realpath(line->program, guest_program))
		guest_program[0] = 0;
}

/* ---- what is executed ---------------------------------------------------- */

/* A program's file, as execveat() names it. */
struct exec_file {
	int folder;    /* descriptor, or AT_FDCWD */
	uint64_t path; /* the guest's string */
	int flags;     /* AT_... */
};

/* A growing vector of strings. */
struct words {
	char **at;
	size_t count, allocated;
};

/* One call of execve() or execveat(). On the heap: threads may call it at once. */
struct call {
	struct words arguments, environment; /* the guest's */
	struct words words;		     /* QEMU's */
	char *value;			     /* our plugin's; exec_follow() fills it */
	uint64_t mask;			     /* of signals */
	int memory; /* a descriptor of it, which the next program gets; -1: it can open it */
	bool closes;		 /* nobody can open the program after it */
	bool at;		 /* it is execveat() */
	char file[PATH_MAX + 2]; /* its name must not look like an option */
	char lasting[PATH_MAX];	 /* the program's path without a descriptor */
	char heads[SCRIPTS_MAX][SHEBANG_BYTES];
	const char *foreign; /* the program of another machine that is named; NULL: none */
	const char *guide;   /* what it has of that is lent; NULL: none */
	struct guest_page page;
};

static bool add(struct words *words, char *word)
{
	if (words->count == words->allocated) {
		size_t n = words->allocated * 2 + 64;
		/*
		 * More words than Linux would accept: the call fails anyway, so QEMU
		 * handles it.
		 */
		char **grown = n > WORDS_MAX ? NULL :
					       realloc(words->at, n * sizeof(*grown));

		if (!grown)
			return false;
		words->at = grown;
		words->allocated = n;
	}
	words->at[words->count++] = word;
	return true;
}

/*
 * Takes the guest's array of strings, its NULL included. False when some of it cannot be
 * read: QEMU then reports the error.
 */
static bool take_array(struct words *words, uint64_t array, struct guest_page *page)
{
	/* Any value but 0: the loop ends at the array's NULL. */
	uint64_t string = 1;

	for (uint64_t i = 0; array && string; i++) {
		if (!guest_word(array + i * abi->word, abi->word, &string))
			return false;
		if (string && (!guest_has_string(string, page) ||
			       !add(words, guest_pointer(string))))
			return false;
	}
	return add(words, NULL);
}

/* As this process is now: its effective user may differ from the real one. */
static bool can(const char *path, int what)
{
	return !faccessat(AT_FDCWD, path, what, AT_EACCESS);
}

/* Reads the start of an executable file; false when it is not one. */
static bool read_head(const char *path, char head[static SHEBANG_BYTES])
{
	/* O_NONBLOCK: the name may be a FIFO, whose open would wait for a writer. */
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat st;
	bool good;

	if (fd < 0)
		return false;
	memset(head, 0, SHEBANG_BYTES);
	good = !fstat(fd, &st) && S_ISREG(st.st_mode) && can(path, X_OK) &&
	       read(fd, head, SHEBANG_BYTES - 1) > 0;
	close(fd);
	return good;
}

static bool is_program(const char *head)
{
	return !memcmp(head, ELFMAG, SELFMAG);
}

static bool is_ours(const char *head)
{
	Elf32_Ehdr elf; /* same layout in both classes up to e_machine */

	memcpy(&elf, head, sizeof(elf));
	return is_program(head) &&
	       elf.e_ident[EI_CLASS] == (abi->word == 8 ? ELFCLASS64 : ELFCLASS32) &&
	       elf.e_ident[EI_DATA] == ELFDATA2LSB && elf.e_machine == abi->machine &&
	       (elf.e_type == ET_EXEC || elf.e_type == ET_DYN);
}

/*
 * LD_* variables are for the guest's loader, not for the host's that loads QEMU: QEMU
 * gets them by its option -E. That option splits at commas, so values with a comma stay
 * in the environment.
 */
static bool is_loaders(const char *variable)
{
	return !strncmp(variable, "LD_", 3) && !strchr(variable, ',');
}

/* Copies a variable of the guest, given as a host pointer; "" when it is too long. */
static void peek(const char *variable, char *text, size_t size)
{
	if (guest_string((uint64_t)(variable - guest_pointer(0)), text, size) !=
	    GUEST_WHOLE)
		*text = 0;
}

/* Whether one of the guest's words, given as host pointers, is the text up to its byte `n`. */
static bool has(const struct words *words, const char *text, size_t n)
{
	char start[4096];

	for (size_t i = 0; i + 1 < words->count; i++) {
		peek(words->at[i], start, sizeof(start));
		if (!strncmp(start, text, n))
			return true;
	}
	return false;
}

/*
 * Whether the variable would hide what the guest sets itself. It does not where the agent leaves
 * just that to the program: LD_PRELOAD is "agent.so:own.so" where the user gave own.so to `record`.
 */
static bool hides(const struct words *environment, const char *variable)
{
	size_t name = strcspn(variable, "=") + 1;
	const char *left = strchr(variable + name, ':');
	char own[4096];

	/* A static program hands on what the recorder set for it: no agent took that away. */
	if (!has(environment, variable, name) ||
	    has(environment, variable, strlen(variable) + 1))
		return false;
	if (!left || name + strlen(left) > sizeof(own))
		return true;
	snprintf(own, sizeof(own), "%.*s%s", (int)name, variable, left + 1);
	return !has(environment, own, strlen(own) + 1);
}

/*
 * Finds the guide of the program, if there is one. The guest's own variables stay as they are: a
 * program gets no guide that would set one of them to something else.
 */
static void find_guide(struct call *call, const char *path)
{
	const char *item = call->guide = lend_for(path);

	while (item && (item = lend_next(LEND_VARIABLE, item)))
		if (hides(&call->environment, item))
			call->guide = NULL;
}

static bool add_lent_variables(struct call *call)
{
	const char *item = call->guide;

	while (item && (item = lend_next(LEND_VARIABLE, item)))
		if (!(add(&call->words, (char *)"-E") && add(&call->words, (char *)item)))
			return false;
	return true;
}

static bool add_lent_arguments(struct call *call)
{
	const char *item = call->guide;

	while (item && (item = lend_next(LEND_ARGUMENT, item)))
		if (!has(&call->arguments, item, strlen(item) + 1) &&
		    !add(&call->words, (char *)item))
			return false;
	return true;
}

static bool add_loaders_variables(struct call *call)
{
	const struct words *environment = &call->environment;
	char start[4096];

	for (size_t i = 0; i + 1 < environment->count; i++) {
		peek(environment->at[i], start, sizeof(start));
		if (is_loaders(start) && !(add(&call->words, (char *)"-E") &&
					   add(&call->words, environment->at[i])))
			return false;
	}
	return true;
}

/* Whether the path leads through a descriptor, of a file or a folder, that execve() closes. */
static bool closes_with_call(const char *path)
{
	int fd, end = 0, flags;

	if (sscanf(path, "/proc/self/fd/%d%n", &fd, &end) < 1 &&
	    sscanf(path, "/dev/fd/%d%n", &fd, &end) < 1)
		return false;
	flags = path[end] && path[end] != '/' ? -1 : fcntl(fd, F_GETFD);
	return flags != -1 && (flags & FD_CLOEXEC);
}

/*
 * The path by which QEMU can open the program. The kernel opens a program before it closes
 * descriptors and QEMU after that, so a descriptor gives way to the path of its file, if the
 * file is still there.
 */
static char *lasting_path(struct call *call, char *path)
{
	struct stat open_file, there;

	if (!closes_with_call(path))
		return path;
	call->closes = !realpath(path, call->lasting) || stat(path, &open_file) < 0 ||
		       stat(call->lasting, &there) < 0 ||
		       open_file.st_dev != there.st_dev ||
		       open_file.st_ino != there.st_ino;
	return call->closes ? path : call->lasting;
}

/* QEMU's own arguments, then the program. */
static bool add_program(struct call *call, char *path, char *argv0)
{
	find_guide(call, path);
	for (unsigned i = 0; i < line->count; i++)
		if (!add(&call->words,
			 i == line->own_value && i ? call->value : line->words[i]))
			return false;
	if (!add_loaders_variables(call) || !add_lent_variables(call))
		return false;
	/*
	 * "-0" sets the guest's argv[0], which differs from the path for login shells and
	 * busybox.
	 */
	return add(&call->words, (char *)"-0") && add(&call->words, argv0) &&
	       add(&call->words, path) && add_lent_arguments(call);
}

/* Fills the vector for a program or script; false when it is not for us. */
static bool add_file(struct call *call, char *path, char *argv0, unsigned depth)
{
	char *head = call->heads[depth], *interpreter, *argument;

	if (!read_head(path, head))
		return false;
	if (is_ours(head))
		return add_program(call, lasting_path(call, path), argv0);
	if (is_program(head)) {
		call->foreign = path;
		return false;
	}
	/* Its interpreter could not open it: Linux refuses that of execveat(), not of execve(). */
	if (call->at && !depth && closes_with_call(path))
		return false;
	/* The depth bounds the recursion: a script may name itself as its interpreter. */
	interpreter = depth + 1 < SCRIPTS_MAX ? shebang_split(head, &argument) : NULL;
	return interpreter && add_file(call, interpreter, interpreter, depth + 1) &&
	       (!argument || add(&call->words, argument)) && add(&call->words, path);
}

/*
 * Removes variables that QEMU gets as options, and QEMU_PLUGIN, which would load us
 * twice.
 */
static void prune_environment(struct words *environment)
{
	char start[4096];
	size_t kept = 0;

	for (size_t i = 0; i + 1 < environment->count; i++) {
		peek(environment->at[i], start, sizeof(start));
		if (is_loaders(start) || (!strncmp(start, "QEMU_PLUGIN=", 12) &&
					  strstr(start, QEMU_LINE_OURS)))
			continue;
		environment->at[kept++] = environment->at[i];
	}
	environment->at[kept] = NULL;
}

static bool names_itself(const char *path)
{
	char own[32];

	snprintf(own, sizeof(own), "/proc/%d/exe", (int)getpid());
	return !strcmp(path, "/proc/self/exe") || !strcmp(path, own);
}

/*
 * Makes of the name the path that Linux shows to scripts: through the folder's descriptor. False
 * when QEMU's own call has to say what is wrong. execve() has no folder, and no flags.
 */
static bool start_at(char name[static PATH_MAX], const struct exec_file *file)
{
	char given[PATH_MAX];
	struct stat st;

	if (file->flags & ~(AT_EMPTY_PATH | AT_SYMLINK_NOFOLLOW))
		return false;
	if (!*name)
		return file->flags & AT_EMPTY_PATH &&
		       snprintf(name, PATH_MAX, "/dev/fd/%d", file->folder) > 0;
	if (*name != '/' && file->folder != AT_FDCWD) {
		strcpy(given, name);
		if (snprintf(name, PATH_MAX, "/dev/fd/%d/%s", file->folder, given) >=
		    PATH_MAX)
			return false;
	}
	return !(file->flags & AT_SYMLINK_NOFOLLOW) ||
	       (!lstat(name, &st) && !S_ISLNK(st.st_mode));
}

/* Copies the file's name into *call; NULL when it is unreadable, too long, or none. */
static char *take_name(struct call *call, const struct exec_file *file)
{
	char *name = call->file + 2;

	if (guest_string(file->path, name, PATH_MAX) != GUEST_WHOLE ||
	    !start_at(name, file))
		return NULL;
	/* Under QEMU these links lead to QEMU, not to the guest's program. */
	if (names_itself(name))
		strcpy(name, guest_program);
	/*
	 * The two bytes in front of the name make room for "./": QEMU would take "-x" as
	 * an option.
	 */
	if (*name != '-')
		return name;
	memcpy(call->file, "./", 2);
	return call->file;
}

/* Fills both vectors; false when the file is not for us, or the call will fail. */
static bool prepare(struct call *call, const struct exec_file *file, uint64_t argv,
		    uint64_t envp)
{
	static char empty[] = ""; /* what Linux makes argv[0] of no arguments */
	const struct words *given = &call->arguments;
	char *name = take_name(call, file);

	call->value = malloc(strlen(line->words[line->own_value]) + MASK_BYTES +
			     GUIDE_BYTES + TITLE_ARGUMENT_BYTES + MEMORY_BYTES);
	if (!name || !call->value || !take_array(&call->arguments, argv, &call->page) ||
	    !take_array(&call->environment, envp, &call->page) ||
	    !add_file(call, name, given->at[0] ? given->at[0] : empty, 0))
		return false;
	for (size_t i = 1; i < given->count; i++)
		if (!add(&call->words, given->at[i]))
			return false;
	/*
	 * take_array() has appended the NULL, which the loop above copied. With no
	 * arguments at all the loop copied nothing, so the NULL is added here.
	 */
	return given->count > 1 || add(&call->words, NULL);
}

/*
 * Whether the next program can have the shared memory: by its path, or else by a descriptor. Memory
 * that is not there has gone with the recorder, or this is another /proc: then it runs without.
 */
static bool can_have_memory(struct call *call)
{
	if (can(memory, R_OK | W_OK) || errno == ENOENT)
		return true;
	call->memory = link_alive() ? handout_ask() : -1;
	return call->memory >= 0;
}

/*
 * Whether the next program can have what it needs: QEMU, this plugin, and the shared memory. By now
 * this process may have another root directory and fewer rights.
 */
static bool can_go_on(struct call *call)
{
	return can(line->qemu, X_OK) && can(line->plugin, R_OK) && can_have_memory(call);
}

/* Adds a process to a number of the board. Returns what it was. */
static uint32_t count(_Atomic uint32_t *number)
{
	counted = number;
	return atomic_fetch_add(number, 1);
}

/* The recorder will not see the process any more. */
static void lose(void)
{
	if (link_alive())
		count(&slot_board()->lost);
}

/* The process becomes a program of another machine, which no recorder of this one could see. */
static void leave(const char *program)
{
	struct board *board = slot_board();

	if (link_alive() && !count(&board->foreign))
		snprintf(board->foreign_program, sizeof(board->foreign_program), "%s",
			 program);
}

void exec_failed(void)
{
	if (counted)
		atomic_fetch_sub(counted, 1);
	counted = NULL;
}

/* What our plugin gets besides: the guide, the process's name, and the mask. */
static void put_own_value(const struct call *call)
{
	char *at = stpcpy(call->value, line->words[line->own_value]);
	char title[TITLE_HEX];

	if (call->guide)
		at += sprintf(at, ",guide=%.*s%s", GUIDE_NAME_BYTES - 1, call->guide,
			      lend_next(LEND_FETCHES, call->guide) ? ",fetches=yes" : "");
	if (call->memory >= 0)
		at += sprintf(at, ",fd=%d", call->memory);
	title_write(title, call->file + 2);
	sprintf(at, ",name=%s,mask=%" PRIx64, title, call->mask);
}

/* Becomes the program; returns when that failed, or when a signal waits in QEMU. */
static void become(struct call *call)
{
	if (!mask_take(&call->mask))
		return;
	if (call->memory >= 0)
		(void)fcntl(call->memory, F_SETFD, 0); /* execve() leaves it open */
	else if (!can(memory, R_OK | W_OK))
		lose();
	prune_environment(&call->environment);
	put_own_value(call);
	probes_fire(WM_EVENT_EXEC, NULL, 0, call->file + 2);
	hold_late();
	/*
	 * Returns only on failure. Then the caller goes on to QEMU's own execve(), which
	 * fails or succeeds as it would without us.
	 */
	execve(line->qemu, call->words.at, call->environment.at);
	exec_failed();
	mask_set(call->mask);
}

static void free_call(struct call *call)
{
	if (call->memory >= 0)
		close(call->memory);
	free(call->arguments.at);
	free(call->environment.at);
	free(call->words.at);
	free(call->value);
	free(call);
}

void exec_follow(int64_t number, const uint64_t *args)
{
	struct call *call = abi ? calloc(1, sizeof(*call)) : NULL;
	struct exec_file file = { .folder = AT_FDCWD };

	if (!call)
		return;
	call->memory = -1;
	call->at = number == abi->execveat;
	if (call->at) {
		file.folder = (int)*args++;
		file.flags = (int)args[3];
	}
	file.path = args[0];
	if (prepare(call, &file, args[1], args[2])) {
		if (!call->closes && can_go_on(call) && (!call->at || HAS_EXECVEAT))
			become(call);
		else /* the kernel may know how to run it */
			lose();
	} else if (call->foreign) {
		leave(call->foreign);
	}
	free_call(call);
}
