// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * argp_parse() reports an unknown option by itself, in getopt's words, and lets nobody add to
 * them. So the command line is read once before, by getopt_long() with the same options: then
 * words that are arguments of options, or are behind "--", are never taken for options.
 *
 * Only words that getopt would refuse are looked at, and only those with a near option are
 * reported here.
 *
 * Example: `waymark hot --frm main` says: there is no option "--frm"; did you mean "--from"?
 */
#include "cli/mistyped.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/append.h"
#include "base/nearest.h"

/* What getopt_long() returns, besides letters, '?' and -1: both are no letters. */
enum { WORD_IN_ORDER = 1, LONG_OPTION };

/* What it is called with. */
struct known {
	struct option *all; /* [n] */
	size_t n;
	char letters[4 * 128]; /* each ASCII letter once, with two colons at most */
	bool failed;	       /* no memory: nothing is suggested */
};

static int kind_of(const struct argp_option *option)
{
	if (!option->arg)
		return no_argument;
	return option->flags & OPTION_ARG_OPTIONAL ? optional_argument :
						     required_argument;
}

/* An alias takes the argument of the option `base`. Headings and documentation are no options. */
static void add(struct known *known, const struct argp_option *option,
		const struct argp_option *base)
{
	static const char *const colons[] = { "", ":", "::" };
	struct option entry = { option->name, kind_of(base), NULL, LONG_OPTION };
	size_t used = strlen(known->letters);
	char letter[2] = { (char)option->key };

	if (option->flags & OPTION_DOC)
		return;
	if (option->name && !APPEND(known->all, known->n, entry))
		known->failed = true;
	if (option->key > ' ' && option->key < 127 && !strstr(known->letters, letter))
		snprintf(known->letters + used, sizeof(known->letters) - used, "%s%s",
			 letter, colons[kind_of(base)]);
}

static bool is_end(const struct argp_option *option)
{
	return !option->name && !option->key && !option->doc && !option->group;
}

static void add_all(struct known *known, const struct argp *argp)
{
	const struct argp_option *option = argp->options, *base = option;
	const struct argp_child *child = argp->children;

	for (; option && !is_end(option); option++) {
		if (!(option->flags & OPTION_ALIAS))
			base = option;
		add(known, option, base);
	}
	for (; child && child->argp; child++)
		add_all(known, child->argp);
}

/* Whether getopt_long() refused the word for its name, and not for its argument. */
static bool is_unknown(const struct known *known, const char *word)
{
	size_t length;

	if (strncmp(word, "--", 2) != 0)
		return false;
	word += 2;
	length = strcspn(word, "=");
	/* The begin of a name is enough; that of several is reported by getopt. */
	for (size_t i = 0; i < known->n; i++)
		if (!strncmp(known->all[i].name, word, length))
			return false;
	return true;
}

/* Returns when there is nothing near. */
static void suggest_end(const struct known *known, const char *word,
			const struct argp *argp, char *name)
{
	char *typed = strndup(word + 2, strcspn(word + 2, "="));
	struct nearest nearest = { .typed = typed };
	const char *near = NULL;

	for (size_t i = 0; typed && i < known->n; i++)
		if (nearest_try(&nearest, known->all[i].name))
			near = known->all[i].name;
	if (near) {
		fprintf(stderr,
			"%s: there is no option \"--%s\"; did you mean \"--%s\"?\n", name,
			typed, near);
		/* As argp_error() ends. */
		argp_help(argp, stderr, ARGP_HELP_STD_ERR, name);
		exit(argp_err_exit_status);
	}
	free(typed);
}

/*
 * The first word that getopt_long() refuses; NULL: none. It may change the order of argv. With
 * ARGP_IN_ORDER the first word that is no option ends the search: options behind it can be those
 * of the guest.
 */
static const char *refused(const struct known *known, int argc, char **argv)
{
	int key;

	opterr = 0;
	optind = 0; /* begin anew */
	do
		key = getopt_long(argc, argv, known->letters, known->all, NULL);
	while (key != -1 && key != '?' && key != WORD_IN_ORDER);
	return key == '?' ? argv[optind - 1] : NULL;
}

void mistyped_end(const struct argp *argp, int argc, char **argv, unsigned flags)
{
	/* What argp adds by itself. */
	static const struct argp_option own[] = {
		{ "help", '?', NULL, 0, NULL, 0 },
		{ "usage", LONG_OPTION, NULL, 0, NULL, 0 },
		{ 0 },
	};
	static const struct argp own_argp = { .options = own };
	const struct option end = { 0 };
	/* '-': words that are no options are returned, too. */
	struct known known = { .letters = { flags & ARGP_IN_ORDER ? '-' : '\0' } };
	char **words = calloc((size_t)argc + 1, sizeof(*words));
	const char *word = NULL;

	add_all(&known, argp);
	add_all(&known, &own_argp);
	if (words && !known.failed && APPEND(known.all, known.n, end)) {
		known.n--;
		memcpy(words, argv, (size_t)argc * sizeof(*words));
		word = refused(&known, argc, words);
	}
	if (word && is_unknown(&known, word))
		suggest_end(&known, word, argp, argv[0]);
	free(known.all);
	free(words);
}
