// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Strings of the guest are passed to the kernel where they are; only the arrays of pointers
 * are made anew. Whatever is not surely a program for this QEMU, called with arguments that
 * can all be read, is left to QEMU and the kernel, so that errors, and native programs, stay
 * theirs.
 */
#include "plugin/user/exec.h"

#include <elf.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "plugin/core/probes.h"
#include "plugin/core/slot.h"
#include "plugin/user/guest.h"

#define WORDS_MAX (1u << 20) /* of an argument vector */
#define HEAD_BYTES 256	     /* the kernel's own limit on a script's first line */
#define SCRIPTS_MAX 4	     /* scripts whose interpreter is a script */

static const struct abi *abi;
static char qemu[PATH_MAX], plugin[PATH_MAX], guest_program[PATH_MAX];
static char **prefix; /* [prefix_count]: QEMU and its options, for programs to come */
static unsigned prefix_count;

/* ---- how QEMU was started -------------------------------------------------------------- */

/* Reads a file of /proc whole, malloc()ed with a NUL behind it; NULL when it cannot. */
static char *read_whole(const char *path, size_t *bytes)
{
	FILE *file = fopen(path, "re"), *copy;
	char *text = NULL;
	int c;

	if (!file)
		return NULL;
	copy = open_memstream(&text, bytes);
	while (copy && (c = getc(file)) != EOF)
		putc(c, copy);
	if (copy)
		fclose(copy);
	fclose(file);
	return text;
}

static bool is_one_of(const char *word, const char *const *names)
{
	while (*names && strcmp(word, *names))
		names++;
	return *names;
}

/* QEMU's options take an argument each, but for these. */
static bool stands_alone(const char *option)
{
	static const char *const names[] = {
		"h",	  "help",    "version", "singlestep", "one-insn-per-tb",
		"strace", "perfmap", "jitdump", NULL,
	};

	return is_one_of(option, names);
}

/* Options for the first program only: its environment is in effect already. */
static bool is_for_first(const char *option)
{
	static const char *const names[] = { "0",	"E",	     "U", "argv0",
					     "set-env", "unset-env", NULL };

	return is_one_of(option, names);
}

/* -plugin's value for programs to come: when it is us, with where the memory is. */
static char *plugin_value(char *value)
{
	static const char *const keys[] = { ",arena=", ",out=", ",waymark=" };
	size_t file = strlen(value);
	char *mine;

	if (!strstr(value, "libwaymark-"))
		return value;
	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++) {
		const char *key = strstr(value, keys[i]);

		if (key && (size_t)(key - value) < file)
			file = (size_t)(key - value);
	}
	if (asprintf(&mine, "%.*s,arena=%s,after=exec", (int)file, value,
		     slot_board()->path) < 0)
		return value;
	if (!strncmp(value, "file=", 5))
		snprintf(plugin, sizeof(plugin), "%.*s", (int)file - 5, value + 5);
	else
		snprintf(plugin, sizeof(plugin), "%.*s", (int)file, value);
	return mine;
}

/* Takes QEMU's options out of words[n]; returns where the guest's program stands. */
static unsigned take_options(char **words, unsigned n)
{
	unsigned at = 1;

	prefix[prefix_count++] = qemu;
	while (at < n && words[at][0] == '-' && words[at][1]) {
		char *option = words[at] + 1 + (words[at][1] == '-');
		bool alone = stands_alone(option), last = at + 1 == n;

		if (!is_for_first(option) && (alone || !last)) {
			prefix[prefix_count++] = words[at];
			if (!alone)
				prefix[prefix_count++] =
					strcmp(option, "plugin") ?
						words[at + 1] :
						plugin_value(words[at + 1]);
		}
		at += alone ? 1 : 2;
	}
	return at;
}

void exec_init(const struct abi *guest, char *program, size_t size)
{
	size_t bytes = 0;
	char *line = read_whole("/proc/self/cmdline", &bytes);
	char **words = calloc(bytes + 1, sizeof(*words));
	unsigned n = 0, at;

	abi = guest;
	prefix = calloc(bytes + 1, sizeof(*prefix));
	if (!line || !words || !prefix ||
	    readlink("/proc/self/exe", qemu, sizeof(qemu) - 1) <= 0)
		abi = NULL; /* nothing is followed */
	else
		for (char *word = line; word < line + bytes; word += strlen(word) + 1)
			words[n++] = word;
	at = n ? take_options(words, n) : 0;
	if (at < n) {
		snprintf(program, size, "%s", words[at]);
		if (!realpath(words[at], guest_program))
			guest_program[0] = 0;
	}
	free(words);
}

/* ---- what is executed --------------------------------------------------------------------- */

/* A vector of strings in the making. */
struct words {
	char **at;
	size_t count, allocated;
};

/* One call of execve(). On the heap: threads may call it at once. */
struct call {
	struct words arguments, environment; /* the guest's */
	struct words words;		     /* QEMU's */
	char file[PATH_MAX + 2];	     /* its name must not look like an option */
	char heads[SCRIPTS_MAX][HEAD_BYTES];
	struct guest_page page;
};

static bool add(struct words *words, char *word)
{
	if (words->count == words->allocated) {
		size_t n = words->allocated * 2 + 64;
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
 * Takes the guest's array of strings, NULL included. False when some of it cannot be read,
 * which QEMU is to say: an array without an end has no length.
 */
static bool take_array(struct words *words, uint64_t array, struct guest_page *page)
{
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

/* The start of a file that may be executed; false when it is none. */
static bool read_head(const char *path, char head[static HEAD_BYTES])
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat st;
	bool good;

	if (fd < 0)
		return false;
	memset(head, 0, HEAD_BYTES);
	good = !fstat(fd, &st) && S_ISREG(st.st_mode) && !access(path, X_OK) &&
	       read(fd, head, HEAD_BYTES - 1) > 0;
	close(fd);
	return good;
}

static bool is_ours(const char *head)
{
	Elf32_Ehdr elf; /* up to e_machine both classes are alike */

	memcpy(&elf, head, sizeof(elf));
	return !memcmp(elf.e_ident, ELFMAG, SELFMAG) &&
	       elf.e_ident[EI_CLASS] == (abi->word == 8 ? ELFCLASS64 : ELFCLASS32) &&
	       elf.e_ident[EI_DATA] == ELFDATA2LSB && elf.e_machine == abi->machine &&
	       (elf.e_type == ET_EXEC || elf.e_type == ET_DYN);
}

/* "#! interpreter [one argument]": both inside head; *argument NULL when there is none. */
static char *parse_script(char *head, char **argument)
{
	char *interpreter;

	if (head[0] != '#' || head[1] != '!' || !strchr(head, '\n'))
		return NULL;
	*strchr(head, '\n') = 0;
	interpreter = head + 2 + strspn(head + 2, " \t");
	*argument = interpreter + strcspn(interpreter, " \t");
	if (**argument) {
		*(*argument)++ = 0;
		*argument += strspn(*argument, " \t");
		for (char *end = *argument + strlen(*argument);
		     end > *argument && strchr(" \t", end[-1]); end--)
			end[-1] = 0;
	}
	if (!**argument)
		*argument = NULL;
	return *interpreter ? interpreter : NULL;
}

/*
 * A variable for the guest's loader is not one for QEMU's: QEMU gets it as an option. Its
 * option splits at commas, so that values with one stay where they are.
 */
static bool is_loaders(const char *variable)
{
	return !strncmp(variable, "LD_", 3) && !strchr(variable, ',');
}

/* A variable of the guest's, by its host pointer; "" when it is too long to be looked at. */
static void peek(const char *variable, char *text, size_t size)
{
	if (guest_string((uint64_t)(variable - guest_pointer(0)), text, size) !=
	    GUEST_WHOLE)
		*text = 0;
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

/* QEMU's own arguments, then the program. */
static bool add_program(struct call *call, char *path, char *argv0)
{
	for (unsigned i = 0; i < prefix_count; i++)
		if (!add(&call->words, prefix[i]))
			return false;
	if (!add_loaders_variables(call))
		return false;
	return add(&call->words, (char *)"-0") && add(&call->words, argv0) &&
	       add(&call->words, path);
}

/* Fills the vector for what `path` is; false when that is not for us. */
static bool add_file(struct call *call, char *path, char *argv0, unsigned depth)
{
	char *head = call->heads[depth], *interpreter, *argument;

	if (!read_head(path, head))
		return false;
	if (is_ours(head))
		return add_program(call, path, argv0);
	interpreter = depth + 1 < SCRIPTS_MAX ? parse_script(head, &argument) : NULL;
	return interpreter && add_file(call, interpreter, interpreter, depth + 1) &&
	       (!argument || add(&call->words, argument)) && add(&call->words, path);
}

/* Takes out what QEMU must not see: its options have it, or it would load us twice. */
static void prune_environment(struct words *environment)
{
	char start[4096];
	size_t kept = 0;

	for (size_t i = 0; i + 1 < environment->count; i++) {
		peek(environment->at[i], start, sizeof(start));
		if (is_loaders(start) ||
		    (!strncmp(start, "QEMU_PLUGIN=", 12) && strstr(start, "libwaymark-")))
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

/* The file's name inside *call; NULL when it is none: unreadable, too long, or empty. */
static char *take_name(struct call *call, uint64_t path)
{
	char *name = call->file + 2;

	if (guest_string(path, name, PATH_MAX) != GUEST_WHOLE || !*name)
		return NULL;
	if (names_itself(name))
		strcpy(name, guest_program);
	if (*name != '-')
		return name;
	memcpy(call->file, "./", 2);
	return call->file;
}

/* Fills both vectors; false when the file is not for us, or the call is to fail. */
static bool prepare(struct call *call, uint64_t path, uint64_t argv, uint64_t envp)
{
	static char empty[] = ""; /* what Linux makes argv[0] of no arguments */
	const struct words *given = &call->arguments;
	char *name = take_name(call, path);

	if (!name || !take_array(&call->arguments, argv, &call->page) ||
	    !take_array(&call->environment, envp, &call->page) ||
	    !add_file(call, name, given->at[0] ? given->at[0] : empty, 0))
		return false;
	for (size_t i = 1; i < given->count; i++)
		if (!add(&call->words, given->at[i]))
			return false;
	return given->count > 1 || add(&call->words, NULL);
}

/*
 * Whether this process, which may have another root and other rights by now, finds all
 * that is needed to go on being recorded: QEMU, this plugin, and a recorder's memory.
 */
static bool can_go_on(void)
{
	return !access(qemu, X_OK) && !access(plugin, R_OK) &&
	       !access(slot_board()->path, R_OK | W_OK);
}

void exec_follow(uint64_t path, uint64_t argv, uint64_t envp)
{
	struct call *call = abi && can_go_on() ? calloc(1, sizeof(*call)) : NULL;

	if (!call)
		return;
	if (prepare(call, path, argv, envp)) {
		prune_environment(&call->environment);
		probes_fire(WM_EVENT_EXEC, NULL, 0, call->file + 2);
		execve(qemu, call->words.at, call->environment.at);
	}
	free(call->arguments.at);
	free(call->environment.at);
	free(call->words.at);
	free(call);
}
