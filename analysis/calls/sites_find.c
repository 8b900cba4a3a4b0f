// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The first pass over the blocks that ran: their functions, and where calls go. Functions are
 * numbered when they are first asked for, so afterwards all are known, also those that were
 * inlined.
 *
 * Example: a block of `main` of 5 instructions, of which the last 3 are of `f`, inlined there.
 * It is found in function main, and it "runs on": the second pass cuts it in two.
 *
 * Invariant: found[] is sorted by space and id, so that numbers depend on nothing else.
 */
#include "analysis/calls/sites-data.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/counts.h"
#include "base/append.h"
#include "base/error.h"

/*
 * The header of a procedure linkage table has no symbol; its first entry follows. Its
 * length depends on the machine: 32, 16 or 20 bytes.
 */
bool sites_is_before_stubs(const struct maker *maker, const struct found *found,
			   uint64_t address)
{
	static const unsigned distances[] = { 32, 16, 20 };

	for (size_t i = 0; i < sizeof(distances) / sizeof(*distances); i++) {
		uint64_t offset;
		uint32_t number = functions_at(maker->sites->functions, found->space,
					       address + distances[i], found->id,
					       &offset);
		const char *symbol =
			number ? functions_get(maker->sites->functions, number)->symbol :
				 NULL;
		size_t length = symbol ? strlen(symbol) : 0;

		/*
		 * An offset of 0 is where a function begins; only an entry of the table
		 * begins right after its header.
		 */
		if (!offset && length > 4 && !strcmp(symbol + length - 4, "@plt"))
			return true;
	}
	return false;
}

/* What is inlined around an instruction. */
struct around {
	struct inlined_function all[INLINED_MAX];
	int n; /* negative: no memory */
};

static void look_around(const struct maker *maker, const struct found *found,
			uint64_t address, struct around *around)
{
	around->n = functions_inlined(maker->sites->functions, found->space, address,
				      found->id, around->all);
}

static bool same_around(const struct around *a, const struct around *b)
{
	if (a->n != b->n)
		return false;
	for (int i = 0; i < a->n; i++)
		if (a->all[i].number != b->all[i].number ||
		    a->all[i].call.source != b->all[i].call.source ||
		    a->all[i].call.number != b->all[i].call.number)
			return false;
	return true;
}

/* Makes all functions of the block known, and notes whether there are several. */
static bool find_functions(struct maker *maker, struct found *found,
			   const struct wm_block *block)
{
	struct functions *functions = maker->sites->functions;
	uint64_t address = block->address;
	struct around first, other;
	bool begins;

	if (sites_interpreter_at(maker->sites, found->space, address, &begins)) {
		found->inner = true;
		found->offset = !begins;
		found->function =
			functions_named(functions, "[interpreter]", "[interpreter]", "");
		return found->function;
	}

	found->function =
		functions_at(functions, found->space, address, found->id, &found->offset);
	look_around(maker, found, address, &first);
	for (uint32_t i = 0; i + 1 < block->insns && found->function && first.n >= 0;
	     i++) {
		uint32_t number;

		address += block->sizes[i];
		number = functions_at(functions, found->space, address, found->id, NULL);
		look_around(maker, found, address, &other);
		if (!number || other.n < 0)
			return false;
		found->runs_on |= number != found->function ||
				  !same_around(&first, &other);
	}
	return found->function && first.n >= 0;
}

static bool is_call(const struct flow *flow)
{
	return flow->kind == FLOW_CALL || flow->kind == FLOW_CALL_INDIRECT;
}

static int find_block(struct maker *maker, uint32_t space, uint32_t id,
		      struct wm_error *err)
{
	struct found found = { .space = space, .id = id };
	struct wm_block block;

	if (wm_trace_block(maker->trace, id, &block))
		return 0;
	if (!find_functions(maker, &found, &block))
		return wm_fail_nomem(err, "functions");
	found.flow = leaving_flow(&maker->leaving, id, &block);
	found.retpoline = leaving_retpoline(&maker->leaving, &block);
	if (found.retpoline == RETPOLINE_RETURNS ||
	    (found.flow.kind == FLOW_RETURN && leaving_loads_t0(&maker->leaving, &block)))
		found.flow.kind = FLOW_INDIRECT;
	found.calls_next = found.flow.has_target && is_call(&found.flow) &&
			   found.flow.target == block.address + block.bytes;
	sites_note_jvm(maker, &found, &block);
	sites_note_luajit(maker, &found, &block);
	sites_note_v8(maker, &found, &block);
	if (!APPEND(maker->found, maker->n_found, found))
		return wm_fail_nomem(err, "functions");
	return 0;
}

static int by_space_and_id(const void *a, const void *b)
{
	const struct found *x = a, *y = b;

	if (x->space != y->space)
		return x->space < y->space ? -1 : 1;
	return x->id < y->id ? -1 : x->id > y->id;
}

/* What begins at an address, to retpolines. */
enum { RETPOLINE_END = 1, SHARED_RETURN = 2 };

static bool note_retpoline(struct u64map *places, const struct found *found,
			   uint64_t address)
{
	uint32_t *end = u64map_at(places, address), *shared;

	if (!end)
		return false;
	*end = RETPOLINE_END;
	if (found->retpoline != RETPOLINE_JUMPS || !found->flow.has_target)
		return true;
	shared = u64map_at(places, found->flow.target);
	if (shared)
		*shared = SHARED_RETURN;
	return shared;
}

/* The call of a retpoline calls nothing, and the return that it jumps to is a jump. */
static void pass_retpolines(struct maker *maker, const struct u64map *places)
{
	struct wm_block block;

	for (size_t i = 0; i < maker->n_found; i++) {
		struct found *found = &maker->found[i];
		struct flow *flow = &found->flow;

		if (is_call(flow) && flow->has_target &&
		    u64map_get(places, flow->target) == RETPOLINE_END)
			flow->kind = FLOW_JUMP;
		found->shared = flow->kind == FLOW_RETURN &&
				!wm_trace_block(maker->trace, found->id, &block) &&
				u64map_get(places, block.address) == SHARED_RETURN;
	}
}

static int find_retpolines(struct maker *maker, struct wm_error *err)
{
	struct u64map places; /* by address */
	struct wm_block block;
	bool done = true, any = false;
	int ret = u64map_init(&places);

	if (ret)
		return wm_fail_nomem(err, "functions");
	for (size_t i = 0; done && i < maker->n_found; i++) {
		const struct found *found = &maker->found[i];

		if (!found->retpoline || wm_trace_block(maker->trace, found->id, &block))
			continue;
		done = note_retpoline(&places, found, block.address);
		any = true;
	}
	if (done && any)
		pass_retpolines(maker, &places);
	u64map_fini(&places);
	return done ? 0 : wm_fail_nomem(err, "functions");
}

static int find_blocks(struct maker *maker, const struct selection *selection,
		       struct wm_error *err)
{
	struct selection quiet = *selection;
	struct counts counts;
	int ret;

	/* The walk over the blocks that follows shows the progress. */
	quiet.progress = NULL;
	ret = counts_gather(&counts, maker->trace, &quiet, err);
	for (size_t i = 0; !ret && i < counts.n_rows; i++)
		ret = find_block(maker, counts.rows[i].space, counts.rows[i].id, err);
	/*
	 * A block that also ran in part is found again. Its row is the same, so making it
	 * twice does no harm.
	 */
	for (size_t i = 0; !ret && i < counts.n_parts; i++)
		ret = find_block(maker, counts.parts[i].space, counts.parts[i].id, err);
	counts_fini(&counts);
	if (!ret)
		ret = find_retpolines(maker, err);
	if (!ret && maker->n_found)
		qsort(maker->found, maker->n_found, sizeof(*maker->found),
		      by_space_and_id);
	return ret;
}

int start_compare(const void *a, const void *b)
{
	const struct start *x = a, *y = b;

	if (x->function != y->function)
		return x->function < y->function ? -1 : 1;
	return x->offset < y->offset ? -1 : x->offset > y->offset;
}

/*
 * Whether a block ends in a call of a known place, where a function begins. A far call of
 * RISC-V, auipc and jalr, is an indirect one with a target (leaving.c).
 */
static bool calls_directly(const struct found *found)
{
	return found->flow.has_target && !found->calls_next && is_call(&found->flow);
}

/* Collects where code without symbols is called directly. */
static int find_starts(struct maker *maker, struct wm_error *err)
{
	struct functions *functions = maker->sites->functions;
	size_t n = 0;

	for (size_t i = 0; i < maker->n_found; i++) {
		const struct found *found = &maker->found[i];
		struct start start;

		if (!calls_directly(found))
			continue;
		start.function = functions_at(functions, found->space, found->flow.target,
					      found->id, &start.offset);
		if (!start.function)
			return wm_fail_nomem(err, "functions");
		if (!functions_get(functions, start.function)->symbol &&
		    !APPEND(maker->starts, maker->n_starts, start))
			return wm_fail_nomem(err, "functions");
	}
	if (maker->n_starts)
		qsort(maker->starts, maker->n_starts, sizeof(*maker->starts),
		      start_compare);
	/*
	 * The same function is called from many blocks. Each start stays once, for the
	 * bisection.
	 */
	for (size_t i = 0; i < maker->n_starts; i++)
		if (!n || start_compare(&maker->starts[n - 1], &maker->starts[i]) != 0)
			maker->starts[n++] = maker->starts[i];
	maker->n_starts = n;
	return 0;
}

int sites_find(struct maker *maker, const struct selection *selection,
	       struct wm_error *err)
{
	int ret = find_blocks(maker, selection, err);

	return ret ? ret : find_starts(maker, err);
}
