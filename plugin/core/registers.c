// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * From version 2 of the plugin API on QEMU gives registers by name; a handle for each of ours is
 * looked up once, in a machine once for each kind of hart: SiFive's boards have a hart without
 * floating point, whose registers have other handles. Before version 2 registers are read from
 * QEMU's CPU state, which begins with RISC-V's: 32 integer registers, 32 words that only RV128
 * uses, 32 FP registers of 8 bytes. That is how it is in 7.2; `waymark record` refuses other
 * versions, and guests of other ISAs.
 *
 * Example, 7.2: riscv64's fa0 is number 42, so at 2 * 32 * 8 + 10 * 8 of the state. 10.2:
 * QEMU calls x8 "fp", and AArch64's v3 "z3" if the CPU has SVE, of which it is the low 16
 * bytes. What has several numbers, one for each 16 bytes, is read from QEMU once.
 */
#include "plugin/core/registers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "format/arena.h"
#include "isa/registers.h"

static char target[32];

void registers_init(const char *target_name)
{
	snprintf(target, sizeof(target), "%s", target_name);
}

#if REGISTERS_ANYWHERE
enum { NAMED_MAX = 32 };

struct named_register {
	const char *name;
};

/*
 * QEMU's names and handles of the registers of one kind of harts. A register that is not there is
 * NULL; a handle may be NULL, too, which is that of the first register from QEMU 11 on.
 */
struct kind {
	struct kind *next;
	GArray *list; /* QEMU's own copy of the names; the pointers below lead into it */
	bool learnt;  /* so are ours by number */
	const qemu_plugin_reg_descriptor *numbered[REGISTERS_FIRST_PART];
	const qemu_plugin_reg_descriptor *named[NAMED_MAX];
};

/* Under link_lock(). */
static struct named_register named[NAMED_MAX];
static unsigned n_named;
static struct kind first; /* of all vCPUs, unless other kinds are behind it */

static struct kind *harts[LANES_MAX]; /* NULL: not of a machine, or without memory */
/* Of the hart that the thread runs; NULL: the first one. */
static __thread __attribute__((tls_model("initial-exec"))) struct kind *current;
static __thread __attribute__((tls_model("initial-exec"))) GByteArray *bytes;
/* Whose value is in `bytes`; NULL: it may have changed since. */
static __thread const qemu_plugin_reg_descriptor *fetched
	__attribute__((tls_model("initial-exec")));

static struct kind *kind_now(void)
{
	return current ? current : &first;
}

static bool is_empty(const GArray *list)
{
	return !list || !list->len;
}

/* A program's vCPUs are of one kind, which is listed when it is asked for. */
static void list(struct kind *kind)
{
	if (is_empty(kind->list))
		kind->list = qemu_plugin_get_registers();
}

static const qemu_plugin_reg_descriptor *descriptor(const GArray *list, unsigned index)
{
	return list && index < list->len ?
		       (const qemu_plugin_reg_descriptor *)list->data + index :
		       NULL;
}

/* Whether a register of QEMU's is number `number`, below REGISTERS_FIRST_PART. */
static bool is_number(const char *name, unsigned number)
{
	char longer[8];

	if (register_number(target, name) == (int)number)
		return true;
	if (strcmp(target, "aarch64") != 0)
		return false;
	if (number == REGISTER_NZCV)
		return !strcmp(name, "cpsr");
	/* What SVE makes longer. */
	snprintf(longer, sizeof(longer), "z%u", number - REGISTERS_FIRST_FP);
	return number >= REGISTERS_FIRST_FP && !strcmp(name, longer);
}

static void learn(struct kind *kind)
{
	const qemu_plugin_reg_descriptor *it;

	kind->learnt = true;
	list(kind);
	for (unsigned i = 0; (it = descriptor(kind->list, i)); i++)
		for (unsigned number = 0; number < REGISTERS_FIRST_PART; number++)
			if (!kind->numbered[number] && is_number(it->name, number))
				kind->numbered[number] = it;
}

void registers_learn(void)
{
	for (struct kind *kind = &first; kind; kind = kind->next)
		if (!kind->learnt)
			learn(kind);
}

static void find(struct kind *kind, unsigned i)
{
	const qemu_plugin_reg_descriptor *it;

	list(kind);
	for (unsigned at = 0; (it = descriptor(kind->list, at)); at++)
		if (!strcmp(it->name, named[i].name))
			kind->named[i] = it;
}

const struct named_register *registers_find(const char *name)
{
	unsigned i = 0;

	while (i < n_named && strcmp(named[i].name, name) != 0)
		i++;
	if (i == NAMED_MAX)
		return NULL;
	if (i == n_named)
		named[n_named++].name = name;
	for (struct kind *kind = &first; kind; kind = kind->next)
		if (!kind->named[i])
			find(kind, i);
	return &named[i];
}

static bool is_alike(const GArray *one, const GArray *other)
{
	const qemu_plugin_reg_descriptor *it;

	if (one->len != other->len)
		return false;
	for (unsigned i = 0; (it = descriptor(one, i)); i++)
		if (it->handle != descriptor(other, i)->handle ||
		    strcmp(it->name, descriptor(other, i)->name) != 0)
			return false;
	return true;
}

/* The kind with such a list, which it may take over. */
static struct kind *kind_of(GArray *list)
{
	struct kind *kind = &first;

	while (kind->next && !is_alike(kind->list, list))
		kind = kind->next;
	if (is_empty(kind->list)) {
		kind->list = list;
	} else if (is_alike(kind->list, list)) {
		g_array_free(list, true);
	} else {
		kind = kind->next = calloc(1, sizeof(*kind));
		if (!kind)
			return NULL;
		kind->list = list;
	}
	for (unsigned i = 0; i < n_named; i++)
		if (!kind->named[i])
			find(kind, i);
	if (first.learnt && !kind->learnt)
		learn(kind);
	return kind;
}

void registers_look(void)
{
	GArray *now = qemu_plugin_get_registers();

	current = now ? kind_of(now) : NULL;
	fetched = NULL;
}

void registers_hart_begins(unsigned hart)
{
	registers_look();
	if (hart < LANES_MAX)
		harts[hart] = current;
}

void registers_turn_to(unsigned hart)
{
	current = hart < LANES_MAX ? harts[hart] : NULL;
	fetched = NULL;
}

/* The register's bytes are in `bytes` then. */
static bool fetch(const qemu_plugin_reg_descriptor *of)
{
	if (!bytes)
		bytes = g_byte_array_new();
	g_byte_array_set_size(bytes, 0);
	fetched = of && qemu_plugin_read_register(of->handle, bytes) > 0 ? of : NULL;
	return fetched;
}

void registers_changed(void)
{
	fetched = NULL;
}

unsigned registers_read_at(const struct named_register *of, uint64_t *value)
{
	*value = 0;
	if (!of || !fetch(kind_now()->named[of - named]))
		return 0;
	memcpy(value, bytes->data,
	       bytes->len < sizeof(*value) ? bytes->len : sizeof(*value));
	return bytes->len;
}

unsigned registers_read(const void *state, unsigned number, uint64_t words[2])
{
	size_t most = 2 * sizeof(*words), left, from;
	const qemu_plugin_reg_descriptor *of;
	unsigned part;

	(void)state;
	of = kind_now()->numbered[register_whole(target, number, &part)];
	from = part * most;
	if (!(part && of && of == fetched) && !fetch(of))
		return 0;
	if (bytes->len <= from)
		return 0;
	words[0] = words[1] = 0;
	left = bytes->len - from;
	memcpy(words, bytes->data + from, left < most ? left : most);
	/* The mode and the masks of interrupts are not of user mode. */
	if (number == REGISTER_NZCV && !strcmp(target, "aarch64"))
		words[0] &= 0xf0000000;
	return register_words(target, number);
}
#else
void registers_learn(void)
{
}

void registers_changed(void)
{
}

const struct named_register *registers_find(const char *name)
{
	(void)name;
	return NULL;
}

void registers_look(void)
{
}

void registers_hart_begins(unsigned hart)
{
	(void)hart;
}

void registers_turn_to(unsigned hart)
{
	(void)hart;
}

unsigned registers_read_at(const struct named_register *of, uint64_t *value)
{
	(void)of;
	*value = 0;
	return 0;
}

unsigned registers_read(const void *state, unsigned number, uint64_t words[2])
{
	size_t width = strcmp(target, "riscv32") ? 8 : 4;
	size_t fp = number - REGISTERS_FIRST_FP;
	const char *from = state;

	words[0] = words[1] = 0;
	if (number >= REGISTERS_FIRST_CSR)
		return 0;
	if (number < REGISTERS_FIRST_FP)
		memcpy(words, from + number * width, width);
	else
		memcpy(words, from + 2 * REGISTERS_FIRST_FP * width + fp * 8, 8);
	return 1;
}
#endif
