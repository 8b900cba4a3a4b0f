// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Of each guide as many entries as its programs have prefixes for arguments: the plugin then adds
 * arguments as they are.
 *
 * Example: guides/hotspot has "program java", "program javac -J" and "program jshell -J". Its entries are
 *	Ghotspot F... Njava A-agentpath:...
 *	Ghotspot F... Njavac Njshell A-J-agentpath:...
 */
#include "cli/record/lent.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "format/lend.h"

static void put(struct buf *text, enum lend_kind kind, const char *prefix,
		const char *item)
{
	/* Texts of format/lend.h cannot have these. */
	text->failed |= strpbrk(item, ",\n") != NULL;
	if (text->len)
		buf_put_u8(text, '\n');
	buf_put_u8(text, (uint8_t)kind);
	buf_put(text, prefix, strlen(prefix));
	buf_put(text, item, strlen(item));
}

/* The entry of programs with that prefix; `path` is another one of them, or NULL. */
static void put_entry(struct buf *text, const struct record_guide *guide,
		      const char *prefix, const char *path)
{
	put(text, LEND_GUIDE, "", guide->name);
	put(text, LEND_FOLDER, "", guide->folder);
	if (path)
		put(text, LEND_PROGRAM, "", path);
	for (unsigned i = 0; i < guide->n_programs; i++)
		if (!strcmp(guide->programs[i].prefix, prefix))
			put(text, LEND_NAME, "", guide->programs[i].pattern);
	if (record_guide_values(guide))
		put(text, LEND_FETCHES, "", "");
	for (unsigned i = 0; i < guide->n_variables; i++)
		put(text, LEND_VARIABLE, "", guide->variables[i]);
	for (unsigned i = 0; i < guide->n_arguments; i++)
		put(text, LEND_ARGUMENT, prefix, guide->arguments[i]);
}

/* Whether no program before `n` has the prefix of that one. */
static bool is_first(const struct record_guide *guide, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		if (!strcmp(guide->programs[i].prefix, guide->programs[n].prefix))
			return false;
	return true;
}

static void lend(struct record_lent *lent, const struct record_guide *guide,
		 const char *path)
{
	const char *own = path ? record_guide_prefix(guide, path) : NULL;
	struct buf text = BUF_INIT;
	char real[PATH_MAX];

	if (path && !realpath(path, real))
		return;
	for (unsigned i = 0; i < guide->n_programs; i++)
		if (is_first(guide, i)) {
			const char *prefix = guide->programs[i].prefix;
			bool has_path = path && !strcmp(own, prefix);

			put_entry(&text, guide, prefix, has_path ? real : NULL);
		}
	if (!text.failed && lent->text.len)
		buf_put_u8(&lent->text, '\n');
	if (!text.failed && text.len) {
		buf_put(&lent->text, text.data, text.len);
		lent->values |= record_guide_values(guide);
	}
	buf_fini(&text);
}

static void lend_other(void *cookie, const struct record_guide *guide)
{
	struct record_lent *lent = cookie;

	if (!lent->guide->name || strcmp(lent->guide->name, guide->name) != 0)
		lend(lent, guide, NULL);
}

void record_lent_find(struct record_lent *lent, char *const *qemu_args)
{
	lent->text = (struct buf)BUF_INIT;
	lent->values = 0;
	if (lent->guide->name)
		lend(lent, lent->guide,
		     record_guide_suits(lent->guide, lent->program) ? lent->program :
								      NULL);
	if (lent->others)
		record_guides_each(qemu_args, lend_other, lent);
	if (lent->text.len)
		buf_put_u8(&lent->text, 0);
	if (lent->text.failed || lent->text.len > LENDS_BYTES)
		buf_fini(&lent->text);
}
