/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The calling contexts of a walk with their sums, made to be entered and left fast. Nodes say
 * less than accounts do: callpart.c's accounts get all of a tree at once, and the tree begins
 * anew. So its size is bounded, and it stays in a cache.
 */
#ifndef ANALYSIS_CALLS_CALLTREE_H
#define ANALYSIS_CALLS_CALLTREE_H

#include <stdbool.h>
#include <stdint.h>

enum { CALLTREE_ROOT = 1, CALLTREE_MOST = 1 << 15 };

enum calltree_kind {
	CALLTREE_CALL, /* entered at its beginning */
	CALLTREE_JUMP, /* entered somewhere inside */
	CALLTREE_STUB, /* code of a stub, which has no call of its own */
};

/* What a node is found by. */
struct calltree_key {
	uint32_t parent; /* index, below the node's own */
	uint32_t entity;
	uint32_t caller; /* entity: mostly that of the parent */
	uint32_t kind;	 /* enum calltree_kind */
};

/* 64 bytes, a cache line: each call and each return uses one or two nodes. */
struct calltree_node {
	struct calltree_key key;
	uint64_t entries;
	uint64_t self_insns;
	uint64_t insns, least, most; /* of entries that were left: in all, and of one */
	uint32_t child, sibling;     /* indexes of the last child, and of one before it */
};

/* Where the accounts have a node. */
struct calltree_place {
	uint32_t edge, context, level;
};

struct calltree {
	struct calltree_node *nodes;   /* [n]: 0 is unused, 1 the root */
	struct calltree_place *places; /* [n] zeros in the beginning */
	uint32_t n, allocated;
	uint32_t most; /* nodes of a tree that is not full, besides those of the stack */
	uint32_t *slots; /* [1 << bits] indexes by parent and entity; 0: free */
	unsigned bits;
};

void calltree_init(struct calltree *tree);
void calltree_fini(struct calltree *tree);
/* Leaves nothing but a root. False: no memory, which is at the first time only. */
bool calltree_reset(struct calltree *tree);
/* Adds a node that is not there, as calltree_at() does. */
uint32_t calltree_add(struct calltree *tree, const struct calltree_key *key);

static inline bool calltree_equal(const struct calltree_key *a,
				  const struct calltree_key *b)
{
	return a->parent == b->parent && a->entity == b->entity &&
	       a->caller == b->caller && a->kind == b->kind;
}

/* The upper bits of the product depend on all bits of the key. */
static inline uint32_t calltree_slot(const struct calltree *tree,
				     const struct calltree_key *key)
{
	uint64_t pair = (uint64_t)key->parent << 32 | key->entity;

	return (uint32_t)(pair * 0x9e3779b97f4a7c15u >> (64 - tree->bits));
}

/*
 * The index of the node with that key, which is made when it is new; 0, a node that is
 * there but stands for nothing, without memory. The tree has been reset.
 */
static inline uint32_t calltree_at(struct calltree *tree, const struct calltree_key *key)
{
	uint32_t mask = (1u << tree->bits) - 1, i = calltree_slot(tree, key);

	while (tree->slots[i] && !calltree_equal(&tree->nodes[tree->slots[i]].key, key))
		i = (i + 1) & mask;
	return tree->slots[i] ? tree->slots[i] : calltree_add(tree, key);
}

#endif
