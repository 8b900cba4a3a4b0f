// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The definition of a suite, from a file in TOML (base/toml.h). Keys that are not known are
 * refused: a limit that was mistyped must not be a limit that is not there.
 *
 * A case's checksum says whether its result is still of what the file describes. It is over
 * the values after defaults were applied, so a comment, or another order, changes nothing; and
 * over the bytes of the program and its input, so a program that was built anew is recorded
 * anew.
 */
#include "cli/suite/suite.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include "base/append.h"
#include "base/error.h"
#include "out/number.h"

enum { FILE_BYTES_MAX = 4 << 20, HASHED_BYTES_MAX = 256 << 20 };
enum { CASES_MAX = 100000, REPEATS_MAX = 1000 };

static int no_memory(struct wm_error *err)
{
	return wm_fail_nomem(err, "a suite");
}

static int wrong(const struct toml *value, const char *what, struct wm_error *err)
{
	return wm_fail(err, WM_E_FORMAT, 0, "line %u: %s", value->line, what);
}

char *suite_slurp(const char *path, size_t most, size_t *n)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	char *bytes = NULL;
	struct stat st;
	ssize_t got = 0;

	*n = 0;
	if (fd >= 0 && !fstat(fd, &st)) {
		errno = S_ISREG(st.st_mode) ? EFBIG :
			S_ISDIR(st.st_mode) ? EISDIR :
					      EINVAL;
		if (S_ISREG(st.st_mode) && (size_t)st.st_size <= most)
			bytes = malloc((size_t)st.st_size + 1);
	}
	while (bytes && (got = read(fd, bytes + *n, (size_t)st.st_size - *n)) > 0)
		*n += (size_t)got;
	if (bytes)
		bytes[*n] = 0;
	if (fd >= 0)
		close(fd);
	if (got >= 0)
		return bytes;
	free(bytes);
	return NULL;
}

/* ---- values -------------------------------------------------------------- */

/* A key of the case, or else of the defaults. */
struct reading {
	const struct toml *table, *defaults; /* defaults may be NULL */
	struct wm_error *err;
};

static const struct toml *find(const struct reading *in, const char *key)
{
	const struct toml *found = toml_find(in->table, key);

	return !found && in->defaults ? toml_find(in->defaults, key) : found;
}

static int want(const struct toml *value, enum toml_type type, struct wm_error *err)
{
	if (value->type == type)
		return 0;
	return wm_fail(err, WM_E_FORMAT, 0, "line %u: %s%s%s wants %s, not %s",
		       value->line, value->key ? "\"" : "the array",
		       value->key ? value->key : "", value->key ? "\"" : "",
		       toml_type_name(type), toml_type_name(value->type));
}

static int get_text(const struct reading *in, const char *key, const char **text)
{
	const struct toml *value = find(in, key);
	int ret = value ? want(value, TOML_TEXT, in->err) : 0;

	if (value && !ret)
		*text = value->text;
	return ret;
}

/* 10, or "10M". */
static int get_number(const struct reading *in, const char *key, uint64_t most,
		      uint64_t *number)
{
	const struct toml *value = find(in, key);

	if (!value)
		return 0;
	if (value->type == TOML_TEXT && !number_parse_bytes(value->text, number))
		return wrong(value, "a size is a number, such as 64 or \"64M\"", in->err);
	if (value->type != TOML_TEXT && want(value, TOML_NUMBER, in->err))
		return WM_E_FORMAT;
	if (value->type == TOML_NUMBER)
		*number = value->number < 0 ? UINT64_MAX : (uint64_t)value->number;
	return *number <= most ? 0 : wrong(value, "the number is out of range", in->err);
}

/* The texts stay the file's; only their array is new. */
static int get_words(const struct reading *in, const char *key, char ***words)
{
	const struct toml *value = find(in, key);
	size_t n = value ? value->n : 0;

	if (value && want(value, TOML_ARRAY, in->err))
		return WM_E_FORMAT;
	*words = calloc(n + 1, sizeof(**words));
	if (!*words)
		return no_memory(in->err);
	for (size_t i = 0; i < n; i++) {
		if (want(&value->all[i], TOML_TEXT, in->err))
			return WM_E_FORMAT;
		(*words)[i] = value->all[i].text;
	}
	return 0;
}

static int add_variables(struct suite_case *of, size_t *n, const struct toml *table,
			 struct wm_error *err)
{
	if (!table)
		return 0;
	if (want(table, TOML_TABLE, err))
		return WM_E_FORMAT;
	for (size_t i = 0; i < table->n; i++) {
		char *text = NULL, **grown;

		if (want(&table->all[i], TOML_TEXT, err))
			return WM_E_FORMAT;
		grown = reallocarray(of->environment, *n + 2, sizeof(*grown));
		if (grown)
			of->environment = grown;
		if (!grown ||
		    asprintf(&text, "%s=%s", table->all[i].key, table->all[i].text) < 0)
			return no_memory(err);
		of->environment[(*n)++] = text;
		of->environment[*n] = NULL;
	}
	return 0;
}

/* Variables of the case come last, so they count where both have one. */
static int get_environment(const struct reading *in, struct suite_case *of)
{
	size_t n = 0;
	int ret = 0;

	of->environment = calloc(1, sizeof(*of->environment));
	if (!of->environment)
		return no_memory(in->err);
	if (in->defaults)
		ret = add_variables(of, &n, toml_find(in->defaults, "environment"),
				    in->err);
	return ret ? ret :
		     add_variables(of, &n, toml_find(in->table, "environment"), in->err);
}

/* ---- a case -------------------------------------------------------------- */

static const char *const case_keys[] = {
	"name",	      "command",   "options", "environment", "input",
	"sysroot",    "directory", "repeats", "exit",	     "max-seconds",
	"max-memory", "max-size",  "budget",  NULL,
};
static const char *const budget_keys[] = { "insns", "size", "seconds", NULL };
static const char *const file_keys[] = { "name", "defaults", "case", NULL };

static int check_keys(const struct toml *table, const char *const *keys,
		      struct wm_error *err)
{
	for (size_t i = 0; i < table->n; i++) {
		unsigned k = 0;

		while (keys[k] && strcmp(keys[k], table->all[i].key) != 0)
			k++;
		if (!keys[k])
			return wm_fail(err, WM_E_FORMAT, 0,
				       "line %u: there is no key \"%.40s\" here",
				       table->all[i].line, table->all[i].key);
	}
	return 0;
}

static int get_budget(const struct reading *in, struct suite_case *of)
{
	const struct toml *budget = find(in, "budget");
	const struct reading inner = { budget, NULL, in->err };
	int ret = 0;

	if (!budget)
		return 0;
	ret = want(budget, TOML_TABLE, in->err);
	if (!ret)
		ret = check_keys(budget, budget_keys, in->err);
	if (!ret)
		ret = get_number(&inner, "insns", UINT64_MAX - 1, &of->most_insns);
	if (!ret)
		ret = get_number(&inner, "size", UINT64_MAX - 1, &of->most_trace_bytes);
	return ret ? ret : get_number(&inner, "seconds", INT32_MAX, &of->most_seconds);
}

/* A name is that of a folder, and a word in lists. */
static bool is_name(const char *name)
{
	return *name && *name != '.' && *name != '-' && strlen(name) < 128 &&
	       !name[strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				  "0123456789.-_+")];
}

static int get_case(const struct reading *in, struct suite_case *of)
{
	int ret = check_keys(in->table, case_keys, in->err);

	*of = (struct suite_case){ .repeats = 1 };
	if (!ret)
		ret = get_text(in, "name", &of->name);
	if (!ret && (!of->name || !is_name(of->name)))
		ret = wrong(in->table, "a case wants a name of letters, digits, and .-_+",
			    in->err);
	if (!ret)
		ret = get_words(in, "command", &of->command);
	if (!ret && !of->command[0])
		ret = wrong(in->table, "a case wants a command", in->err);
	if (!ret)
		ret = get_words(in, "options", &of->options);
	if (!ret)
		ret = get_environment(in, of);
	if (!ret)
		ret = get_text(in, "input", &of->input);
	if (!ret)
		ret = get_text(in, "sysroot", &of->sysroot);
	if (!ret)
		ret = get_text(in, "directory", &of->directory);
	if (!ret)
		ret = get_number(in, "repeats", REPEATS_MAX, &of->repeats);
	if (!ret && !of->repeats)
		ret = wrong(find(in, "repeats"), "a case runs once at least", in->err);
	if (!ret)
		ret = get_number(in, "exit", 255, &of->exit_status);
	if (!ret)
		ret = get_number(in, "max-seconds", INT32_MAX, &of->limits.seconds);
	if (!ret)
		ret = get_number(in, "max-memory", INT64_MAX, &of->limits.memory_bytes);
	if (!ret)
		ret = get_number(in, "max-size", INT64_MAX, &of->limits.trace_bytes);
	return ret ? ret : get_budget(in, of);
}

/* ---- checksums ----------------------------------------------------------- */

static uint64_t hash_text(uint64_t hash, const char *text)
{
	/* With its NUL, so that "ab" "c" is not "a" "bc". */
	return text ? XXH3_64bits_withSeed(text, strlen(text) + 1, hash) :
		      XXH3_64bits_withSeed("", 0, hash);
}

static uint64_t hash_words(uint64_t hash, char *const *words)
{
	for (; *words; words++)
		hash = hash_text(hash, *words);
	return hash_text(hash, NULL);
}

/* A file that cannot be read, or is too large, has no part in it. */
static uint64_t hash_file(uint64_t hash, const struct suite *suite,
			  const struct suite_case *of, const char *name)
{
	const char *folder = of->directory ? of->directory : ".";
	char path[PATH_MAX];
	char *bytes = NULL;
	size_t n = 0;
	int length;

	length = *name == '/'	? snprintf(path, sizeof(path), "%s", name) :
		 *folder == '/' ? snprintf(path, sizeof(path), "%s/%s", folder, name) :
				  snprintf(path, sizeof(path), "%s/%s/%s", suite->folder,
					   folder, name);
	if (length > 0 && length < (int)sizeof(path))
		bytes = suite_slurp(path, HASHED_BYTES_MAX, &n);
	if (bytes)
		hash = XXH3_64bits_withSeed(bytes, n, hash);
	free(bytes);
	return hash;
}

static uint64_t checksum_of(const struct suite *suite, const struct suite_case *of)
{
	const uint64_t numbers[] = {
		of->repeats,
		of->exit_status,
		of->limits.seconds,
		of->limits.memory_bytes,
		of->limits.trace_bytes,
		of->most_insns,
		of->most_trace_bytes,
		of->most_seconds,
	};
	uint64_t hash = XXH3_64bits(numbers, sizeof(numbers));

	hash = hash_text(hash, of->name);
	hash = hash_words(hash, of->command);
	hash = hash_words(hash, of->options);
	hash = hash_words(hash, of->environment);
	hash = hash_text(hash, of->input);
	hash = hash_text(hash, of->sysroot);
	hash = hash_text(hash, of->directory);
	hash = hash_file(hash, suite, of, of->command[0]);
	return of->input ? hash_file(hash, suite, of, of->input) : hash;
}

/* ---- the file ------------------------------------------------------------ */

static int add_case(struct suite *suite, const struct reading *in)
{
	struct suite_case new;
	int ret = get_case(in, &new);

	/* It is added also after a failure, so that suite_fini() frees it. */
	if (!APPEND(suite->cases, suite->n, new))
		return no_memory(in->err);
	if (ret)
		return ret;
	for (size_t i = 0; i + 1 < suite->n; i++)
		if (!strcmp(suite->cases[i].name, new.name))
			return wrong(in->table, "another case has this name", in->err);
	suite->cases[suite->n - 1].checksum = checksum_of(suite, &new);
	return 0;
}

static int get_cases(struct suite *suite, struct wm_error *err)
{
	const struct toml *all = toml_find(&suite->file, "case");
	const struct toml *defaults = toml_find(&suite->file, "defaults");
	int ret = check_keys(&suite->file, file_keys, err);

	if (!ret && defaults)
		ret = want(defaults, TOML_TABLE, err);
	if (!ret && defaults)
		ret = check_keys(defaults, case_keys, err);
	if (!ret && (!all || all->type != TOML_ARRAY || !all->n || all->n > CASES_MAX))
		ret = wrong(&suite->file, "a suite wants cases: [[case]]", err);
	for (size_t i = 0; !ret && i < all->n; i++) {
		const struct reading in = { &all->all[i], defaults, err };

		ret = want(&all->all[i], TOML_TABLE, err);
		if (!ret)
			ret = add_case(suite, &in);
	}
	return ret;
}

static int find_folder(struct suite *suite, const char *path, struct wm_error *err)
{
	char *real = realpath(path, NULL), *slash = real ? strrchr(real, '/') : NULL;

	if (!slash) {
		free(real);
		return wm_fail_errno(err, "%s", path);
	}
	slash[slash == real] = 0;
	suite->folder = real;
	return 0;
}

int suite_read(struct suite *suite, const char *path, struct wm_error *err)
{
	const struct reading in = { &suite->file, NULL, err };
	const char *name = NULL;
	size_t n;
	int ret;

	*suite = (struct suite){ .text = suite_slurp(path, FILE_BYTES_MAX, &n) };
	if (!suite->text && errno == EINVAL)
		return wm_fail(err, WM_E_IO, 0, "%s: not a regular file", path);
	if (!suite->text)
		return wm_fail_errno(err, "%s", path);
	ret = find_folder(suite, path, err);
	if (!ret)
		ret = toml_parse(&suite->file, suite->text, n, err);
	if (!ret)
		ret = get_text(&in, "name", &name);
	if (!ret && !(suite->name = strdup(name ? name : "suite")))
		ret = no_memory(err);
	return ret ? ret : get_cases(suite, err);
}

void suite_fini(struct suite *suite)
{
	for (size_t i = 0; i < suite->n; i++) {
		struct suite_case *of = &suite->cases[i];

		for (size_t k = 0; of->environment && of->environment[k]; k++)
			free(of->environment[k]);
		free(of->environment);
		free(of->command);
		free(of->options);
	}
	free(suite->cases);
	toml_fini(&suite->file);
	free(suite->text);
	free(suite->folder);
	free(suite->name);
}
