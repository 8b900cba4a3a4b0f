// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Compares the effects of common instructions, instruction by instruction and kind by kind:
 * the first load of A with the first load of B, a register with the same register.
 *
 * What one side only lists is a difference, with exceptions where tools differ and runs do
 * not: QEMU 7.2 reports an atomic access as a store alone, and some logs list a register only
 * when its value has changed.
 *
 * The stack lies elsewhere in most pairs of runs. The first access relative to the stack
 * pointer, or the first value of the stack pointer itself, tells the distance. Differences
 * that were found before that are judged again. When a later access relative to the stack
 * pointer is at the same address in both, the stack was not moved after all, and what told
 * so was a difference itself.
 *
 * Example: A stores 8 bytes at 0x40007fefe8, B at 0x3ffffffb38, both by `sd ra,24(sp)`: the
 * distance is known, and nothing differs. The next store, by `sd a0,16(sp)`, is of another
 * number: that differs, and the next load from there will, too.
 *
 * Invariant: `differ` counts the kept differences and those beyond the room for them.
 */
#include "analysis/diff/values.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/mem/sites.h"
#include "base/append.h"
#include "base/error.h"

/* Differences that are kept at least, to be judged again. */
enum { KEPT = 64 };

#define KIND(name) (1u << WM_ACCESS_##name)
#define MEMORY_KINDS (KIND(LOAD) | KIND(STORE))
#define REGISTER_KINDS (KIND(REGISTER) | KIND(WRITTEN) | KIND(RETURNED))

/* The effects of one instruction on one side. */
struct group {
	const struct effect *all;
	size_t n;
};

static bool is_register(uint8_t kind)
{
	return REGISTER_KINDS >> kind & 1;
}

unsigned diff_values_kinds(const struct diff_values *values)
{
	unsigned kinds = values->a->has & values->b->has;

	if (!(values->what & DIFF_REGISTERS))
		kinds &= ~REGISTER_KINDS;
	if (!(values->what & (DIFF_ADDRESSES | DIFF_DATA)))
		kinds &= ~MEMORY_KINDS;
	if (!(values->what & DIFF_DATA))
		kinds &= ~KIND(MEMORY);
	return kinds;
}

/* ---- two effects ------------------------------------------------------------------------ */

static unsigned common_size(const struct wm_access *x, const struct wm_access *y)
{
	unsigned size = x->size ? x->size : y->size;

	return y->size && y->size < size ? y->size : size;
}

static bool data_differ(const struct diff_values *values, const struct wm_access *x,
			const struct wm_access *y)
{
	unsigned bytes = common_size(x, y);

	if (!x->has_data || !y->has_data)
		return false;
	return !alike_value(&values->alike, x->data[0], y->data[0],
			    bytes && bytes < 8 ? bytes : 8) ||
	       (bytes > 8 && x->data[1] != y->data[1]);
}

static bool places_differ(const struct diff_values *values, const struct wm_access *x,
			  const struct wm_access *y)
{
	return !alike_address(&values->alike, x->address, y->address) ||
	       (x->size && y->size && x->size != y->size);
}

static bool differs(const struct diff_values *values, const struct diff_value *value)
{
	const struct wm_access *x = &value->of_a, *y = &value->of_b;
	bool both = value->in_a && value->in_b;

	if (is_register(value->in_a ? x->kind : y->kind))
		return !both || data_differ(values, x, y);
	if (values->what & DIFF_ADDRESSES && (!both || places_differ(values, x, y)))
		return true;
	return both && values->what & DIFF_DATA && data_differ(values, x, y);
}

/* ---- the stack -------------------------------------------------------------------------- */

static void judge_again(struct diff_values *values)
{
	size_t n = 0;

	for (size_t i = 0; i < values->n; i++)
		if (differs(values, &values->kept[i]))
			values->kept[n++] = values->kept[i];
	values->differ -= values->n - n;
	values->n = n;
}

/* Whether both are the stack pointer, or relative to it: then *x and *y are in the stack. */
static bool is_of_stack(const struct diff_values *values, const struct diff_value *value,
			uint32_t id, uint64_t *x, uint64_t *y)
{
	const struct wm_access *a = &value->of_a, *b = &value->of_b;

	*x = a->kind == WM_ACCESS_WRITTEN ? a->data[0] : a->address;
	*y = a->kind == WM_ACCESS_WRITTEN ? b->data[0] : b->address;
	if (a->kind == WM_ACCESS_WRITTEN)
		return a->address == values->sp;
	/*
	 * Once it was moved, only equal addresses in it are of interest. x86 has instructions
	 * that access other memory, too: `call *16(%rbx)`.
	 */
	return MEMORY_KINDS >> a->kind & 1 && id &&
	       (values->stack == DIFF_STACK_UNKNOWN ||
		(*x == *y && *x - values->alike.stack.a < values->alike.stack.bytes)) &&
	       mem_insn_by_stack(values->a_trace, id, a->insn,
				 a->kind == WM_ACCESS_STORE);
}

/*
 * The stacks lie at the same address, so the access from which their distance was learned
 * differs. It is the first difference.
 */
static int take_back(struct diff_values *values, struct wm_error *err)
{
	values->alike.stack.bytes = 0;
	values->stack = DIFF_STACK_SAME;
	values->differ++;
	if (!APPEND(values->kept, values->n, values->stack_from))
		return wm_fail_nomem(err, "differences");
	memmove(values->kept + 1, values->kept, (values->n - 1) * sizeof(*values->kept));
	values->kept[0] = values->stack_from;
	return 0;
}

static int look_at_stack(struct diff_values *values, const struct diff_value *value,
			 uint32_t id, struct wm_error *err)
{
	uint64_t x, y;

	if (values->stack == DIFF_STACK_SAME || !value->in_a || !value->in_b ||
	    !is_of_stack(values, value, id, &x, &y))
		return 0;
	if (values->stack == DIFF_STACK_MOVED)
		return x == y ? take_back(values, err) : 0;
	values->stack = x == y ? DIFF_STACK_SAME : DIFF_STACK_MOVED;
	if (x != y) {
		values->stack_from = *value;
		alike_set_stack(&values->alike, x, y);
		judge_again(values);
	}
	return 0;
}

/* ---- differences ------------------------------------------------------------------------ */

static int keep(struct diff_values *values, const struct diff_value *value,
		struct wm_error *err)
{
	values->differ++;
	if (values->n >= values->room && values->n >= KEPT)
		return 0;
	return APPEND(values->kept, values->n, *value) ?
		       0 :
		       wm_fail_nomem(err, "differences");
}

/* The ordinals of the instruction that is being compared. */
struct at {
	struct diff_values *values;
	uint64_t a, b;
	struct wm_error *err;
};

/* Compares two effects; NULL: a side has none. */
static int compare(const struct at *at, const struct effect *x, const struct effect *y)
{
	struct diff_values *values = at->values;
	uint32_t id = x ? x->id : 0;
	struct diff_value value = { .a = at->a, .b = at->b, .in_a = x, .in_b = y };
	int ret;

	if (x)
		value.of_a = x->is;
	if (y)
		value.of_b = y->is;
	values->compared++;
	ret = look_at_stack(values, &value, id, at->err);
	if (ret || !differs(values, &value))
		return ret;
	if (!values->may_differ || !values->may_differ(values->cookie, &value, id))
		return keep(values, &value, at->err);
	if (value.of_a.has_data && value.of_b.has_data)
		alike_learn(&values->alike, value.of_a.data[0], value.of_b.data[0]);
	return 0;
}

/* ---- one instruction -------------------------------------------------------------------- */

/* The next effect of a kind from index *at on, which moves past it; NULL: no more. */
static const struct effect *next_of(const struct group *group, unsigned kind, size_t *at)
{
	while (*at < group->n) {
		const struct effect *effect = &group->all[(*at)++];

		if (effect->is.kind == kind)
			return effect;
	}
	return NULL;
}

static const struct effect *find(const struct group *group, unsigned kind,
				 uint64_t address)
{
	const struct effect *effect;
	size_t at = 0;

	while ((effect = next_of(group, kind, &at)))
		if (effect->is.address == address)
			return effect;
	return NULL;
}

/*
 * Whether `load`, of `mine`, belongs to an atomic access, of which the other side lists the
 * store alone.
 */
static bool is_atomic(const struct effect *load, const struct group *mine,
		      const struct group *other)
{
	const struct effect *store = find(mine, WM_ACCESS_STORE, load->is.address);
	size_t at = 0;

	return load->is.kind == WM_ACCESS_LOAD && store &&
	       next_of(other, WM_ACCESS_STORE, &at);
}

static int compare_memory(const struct at *at, unsigned kind, const struct group *a,
			  const struct group *b)
{
	size_t i = 0, j = 0;
	int ret = 0;

	while (!ret) {
		const struct effect *x = next_of(a, kind, &i), *y = next_of(b, kind, &j);

		if (!x && !y)
			break;
		if ((x && !y && is_atomic(x, a, b)) || (y && !x && is_atomic(y, b, a)))
			continue;
		ret = compare(at, x, y);
	}
	return ret;
}

static int compare_registers(const struct at *at, unsigned kind, const struct group *a,
			     const struct group *b)
{
	const struct effect *x, *y;
	size_t i = 0, j = 0;
	int ret = 0;

	while (!ret && (x = next_of(a, kind, &i))) {
		y = find(b, kind, x->is.address);
		if (y || x->is.address < at->values->b->changes_from)
			ret = compare(at, x, y);
	}
	while (!ret && (y = next_of(b, kind, &j)))
		if (!find(a, kind, y->is.address) &&
		    y->is.address < at->values->a->changes_from)
			ret = compare(at, NULL, y);
	return ret;
}

static int compare_insn(const struct at *at, unsigned kinds, const struct group *a,
			const struct group *b)
{
	int ret = 0;

	for (unsigned kind = 0; !ret && kinds >> kind; kind++)
		if (kinds >> kind & 1)
			ret = is_register((uint8_t)kind) ?
				      compare_registers(at, kind, a, b) :
				      compare_memory(at, kind, a, b);
	return ret;
}

/* ---- all of them ------------------------------------------------------------------------ */

bool diff_what_parse(const char *text, unsigned *what)
{
	/* In the order of the bits. */
	static const char *const names[] = { "addresses", "data", "registers" };
	enum { NAMES = sizeof(names) / sizeof(*names) };

	*what = !strcmp(text, "all") ? DIFF_VALUES : 0;
	if (*what || !strcmp(text, "none"))
		return true;
	for (size_t bytes; *text; text += bytes + (text[bytes] == ',')) {
		unsigned i = 0;

		bytes = strcspn(text, ",");
		while (i < NAMES &&
		       (strlen(names[i]) != bytes || memcmp(text, names[i], bytes) != 0))
			i++;
		if (i == NAMES)
			return false;
		*what |= 1u << i;
	}
	return true;
}

/* How far the next instruction with effects is from `from`; `insns` when none follows. */
static uint64_t next_insn(const struct effects *effects, uint64_t from, uint64_t insns)
{
	uint64_t insn;

	if (effects->at == effects->n)
		return insns;
	insn = effects->all[effects->at].insn;
	/* Unknown instructions may begin before those that are compared. */
	insn = insn > from ? insn - from : 0;
	return insn < insns ? insn : insns;
}

/* The effects of the instruction `insn`, if they come next. */
static struct group take(struct effects *effects, uint64_t insn)
{
	struct group group = { effects->all + effects->at, 0 };

	while (effects->at < effects->n && effects->all[effects->at].insn == insn) {
		effects->at++;
		group.n++;
	}
	return group;
}

/* The instructions from the next ones on of which nothing is known; 0: they are known. */
static uint64_t unknown_ahead(const struct effects *effects, uint64_t insn)
{
	const struct effect *next = effects->all + effects->at;

	return effects->at < effects->n && next->unknown_insns && next->insn <= insn ?
		       next->insn + next->unknown_insns - insn :
		       0;
}

int diff_values_compare(struct diff_values *values, uint64_t a, uint64_t b,
			uint64_t insns, struct wm_error *err)
{
	unsigned kinds = diff_values_kinds(values);
	uint64_t done = 0;
	int ret = 0;

	while (!ret && done < insns) {
		struct at at = { .values = values, .err = err };
		uint64_t next, other, unknown;

		ret = effects_pass(values->a, a + done, err);
		if (ret)
			break;
		ret = effects_pass(values->b, b + done, err);
		values->b_failed = ret;
		if (ret)
			break;
		next = next_insn(values->a, a, insns);
		other = next_insn(values->b, b, insns);
		done = next < other ? next : other;
		if (done == insns)
			break;
		at.a = a + done;
		at.b = b + done;
		unknown = unknown_ahead(values->a, at.a);
		other = unknown_ahead(values->b, at.b);
		unknown = other > unknown ? other : unknown;
		if (!unknown) {
			struct group of_a = take(values->a, at.a);
			struct group of_b = take(values->b, at.b);

			ret = compare_insn(&at, kinds, &of_a, &of_b);
			unknown = 1;
		}
		done += unknown;
	}
	return ret;
}
