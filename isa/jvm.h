/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Java's bytecodes: names, lengths and where they lead. Like isa/riscv.h, no state. */
#ifndef ISA_JVM_H
#define ISA_JVM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum jvm_kind {
	JVM_PLAIN,
	JVM_BRANCH, /* two ways */
	JVM_GOTO,   /* one target; also jsr */
	JVM_SWITCH,
	JVM_CALL,
	JVM_RETURN, /* also ret */
	JVM_THROW,
};

enum { JVM_OPCODES = 202 };
/* The prefix of an instruction whose operands are twice as long. */
enum { JVM_WIDE = 196 };

/* "iadd"; NULL: Java has no such opcode. */
const char *jvm_name(uint8_t opcode);
enum jvm_kind jvm_kind(uint8_t opcode);
/* Whether other methods may run before it is done: it calls, or may need a class. */
bool jvm_runs(uint8_t opcode);
/* Whether it may throw; whether it is of a subroutine: jsr, ret, and wide, which may be one. */
bool jvm_throws(uint8_t opcode);
bool jvm_is_subroutine(uint8_t opcode);
/* Whether HotSpot may put an opcode of its own in its place. */
bool jvm_is_rewritten(uint8_t opcode);
/*
 * The length of the instruction at code[at] of a method code[bytes]. 0: it has no opcode of
 * Java's, or does not end in the method.
 */
size_t jvm_length(const uint8_t *code, size_t bytes, size_t at);
/*
 * Where the branch, goto or switch at code[at] may lead, other than to the next
 * instruction: target number `i`, from 0 on; of a switch the default comes first. False:
 * it has no such. Targets may be outside of the method.
 */
bool jvm_target(const uint8_t *code, size_t bytes, size_t at, size_t i, int64_t *target);
/* Whether it names an entry of the constant pool; the pool's entry is *index. No call of a method does. */
bool jvm_constant(const uint8_t *code, size_t bytes, size_t at, uint32_t *index);
/*
 * The operands of the instruction at code[at], which has its `length` in the method, as text:
 * where a branch, goto or switch leads, or else numbers; " 16", " 2 -1", of wide " iload 300",
 * " 1: 40, 2: 52, default: 60", of newarray " long", "" for none, and for those that may not be the
 * class's. Returns its bytes, like snprintf().
 */
int jvm_operands(const uint8_t *code, size_t bytes, size_t at, size_t length, char *text,
		 size_t size);

#endif
