// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * program/kernel: the table of symbols in an Image, in the layouts that Linux had, and files
 * that carry names of a kernel without being ELF files.
 */
#include "program/kernel/image.h"

#include <elf.h>
#include <lzma.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include <cmocka.h>

#define BASE UINT64_C(0xffffffff80000000)
#define OLD_BASE UINT64_C(0xffffffe000000000)

enum { SYMBOLS = 700, EACH = 0x40, PERCPU_SYMBOLS = 20 };

/* Which of Linux's layouts. */
enum layout { UNTIL_6_1, FROM_6_2, FROM_6_5, MOVED, PERCPU, FROM_7_0, FROM_7_2, LAYOUTS };

static unsigned alignment; /* of the tables */

static void pad(struct buf *image)
{
	while (image->len % alignment)
		buf_put_u8(image, 0);
}

static uint64_t base_of(enum layout layout)
{
	return layout == UNTIL_6_1 ? OLD_BASE : BASE;
}

/* Of x86 the first ones are what each CPU has of its own, linked at 0. */
static uint64_t address_of(enum layout layout, unsigned i)
{
	bool is_percpu = layout == PERCPU && i < PERCPU_SYMBOLS;

	return (is_percpu ? 0 : base_of(layout)) + EACH * i;
}

/* ---- a made-up Image -------------------------------------------------------------- */

/* Token 200 + i stands for a text of several characters, others for themselves. */
static const char *const long_tokens[] = { "sys_", "do_", "lock", "tread" };

static void put_tokens(struct buf *image)
{
	uint16_t index[256];
	size_t start = image->len;

	for (unsigned i = 0; i < 256; i++) {
		char one[] = { (char)(i ? i : 1), 0 };
		const char *text = i >= 200 && i < 204 ? long_tokens[i - 200] : one;

		index[i] = (uint16_t)(image->len - start);
		buf_put(image, text, strlen(text) + 1);
	}
	pad(image);
	buf_put(image, index, sizeof(index));
}

/* The first one is `_start`; number 300 is as long as one may be. */
static void name_of(unsigned i, char *text)
{
	if (!i)
		strcpy(text, "T_start");
	else if (i == 300)
		sprintf(text, "t%0400u", i);
	else
		sprintf(text, "%c%s%sf%u", i % 7 ? 't' : 'd', i % 2 ? "sys_" : "",
			i % 3 ? "lock" : "", i);
}

static unsigned compressed(const char *text, uint8_t *to)
{
	unsigned n = 0;

	while (*text) {
		uint8_t number = (uint8_t)*text;
		size_t bytes = 1;

		for (unsigned i = 0; i < 4; i++)
			if (!strncmp(text, long_tokens[i], strlen(long_tokens[i]))) {
				number = (uint8_t)(200 + i);
				bytes = strlen(long_tokens[i]);
			}
		to[n++] = number;
		text += bytes;
	}
	return n;
}

static void put_names(struct buf *image, enum layout layout)
{
	uint32_t markers[SYMBOLS / 256 + 1];
	size_t start;

	buf_put_u32(image, SYMBOLS);
	pad(image);
	start = image->len;
	for (unsigned i = 0; i < SYMBOLS; i++) {
		char text[512];
		uint8_t bytes[512];
		unsigned n;

		name_of(i, text);
		if (layout == UNTIL_6_1)
			text[100] = 0;
		n = compressed(text, bytes);
		if (i % 256 == 0)
			markers[i / 256] = (uint32_t)(image->len - start);
		if (n > 127) {
			buf_put_u8(image, (uint8_t)(n | 0x80));
			buf_put_u8(image, (uint8_t)(n >> 7));
		} else {
			buf_put_u8(image, (uint8_t)n);
		}
		buf_put(image, bytes, n);
	}
	pad(image);
	buf_put(image, markers, sizeof(markers));
	pad(image);
}

static void put_offsets(struct buf *image, enum layout layout)
{
	for (unsigned i = 0; i < SYMBOLS; i++) {
		uint32_t offset = EACH * i;

		if (layout >= FROM_7_0)
			offset -= (uint32_t)image->len;
		if (layout == PERCPU && i >= PERCPU_SYMBOLS)
			offset = ~offset;
		buf_put_u32(image, offset);
	}
	pad(image);
	if (layout >= FROM_7_0)
		return;
	if (layout == MOVED) {
		/* Relocation: where, of which kind, to what. */
		uint64_t rela[] = { BASE + image->len, 3, BASE };

		buf_put_u64(image, 0);
		buf_put(image, rela, sizeof(rela));
		return;
	}
	buf_put_u64(image, base_of(layout));
}

/* The order of names; any numbers will do. */
static void put_order(struct buf *image)
{
	for (unsigned i = 0; i < SYMBOLS; i++)
		buf_put(image, (uint8_t[]){ 0, (uint8_t)(i >> 8), (uint8_t)i }, 3);
	pad(image);
}

static void make(struct buf *image, enum layout layout)
{
	static const uint32_t note[] = { 4, 20, 3, 0x554e47, 0x12345678, 2, 3, 4, 5 };
	bool old = layout <= FROM_6_2;

	*image = BUF_INIT;
	alignment = layout == FROM_7_2 ? 4 : 8;
	for (unsigned i = 0; i < 1024; i++) /* code, and things like tables */
		buf_put_u32(image, i % 64 ? i * 2654435761u : i);
	memcpy(image->data + 0x30, "RISCV\0\0\0RSC\5", 12);
	buf_put(image, note, sizeof(note));
	pad(image);
	/* So that not all tables are at places that 8 divides. */
	if (layout == FROM_7_2)
		buf_put_u32(image, 0);
	if (old)
		put_offsets(image, layout);
	put_names(image, layout);
	if (layout == FROM_6_2)
		put_order(image);
	put_tokens(image);
	if (!old)
		put_offsets(image, layout);
	if (layout >= FROM_6_5)
		put_order(image);
	assert_false(image->failed);
}

/* ---- tests ------------------------------------------------------------------------ */

static void test_layouts(void **state)
{
	(void)state;
	for (enum layout layout = 0; layout < LAYOUTS; layout++) {
		struct kernel_symbols symbols;
		struct buf image;
		uint64_t address;

		make(&image, layout);
		assert_true(kallsyms_read(&symbols, image.data, image.len));
		assert_int_equal(symbols.n, SYMBOLS);
		for (unsigned i = 0; i < SYMBOLS; i++) {
			const struct kernel_symbol *symbol = &symbols.all[i];
			char text[512];

			name_of(i, text);
			if (layout == UNTIL_6_1)
				text[100] = 0;
			assert_int_equal(symbol->address, address_of(layout, i));
			assert_int_equal(symbol->type, text[0]);
			assert_string_equal((const char *)symbols.texts.data +
						    symbol->name,
					    text + 1);
		}
		assert_true(kernel_symbols_find(&symbols, "sys_lockf1", &address));
		assert_int_equal(address, address_of(layout, 1));
		assert_false(kernel_symbols_find(&symbols, "sys_lock", &address));
		kernel_symbols_fini(&symbols);
		buf_fini(&image);
	}
}

/* Cut anywhere, or with a byte of its tables changed, it is read or refused. */
static void test_damage(void **state)
{
	struct kernel_symbols symbols;
	struct buf image;

	(void)state;
	make(&image, FROM_6_5);
	for (size_t bytes = 0; bytes < image.len; bytes += 37) {
		uint8_t *copy = malloc(bytes + 1);

		memcpy(copy, image.data, bytes);
		if (kallsyms_read(&symbols, copy, bytes))
			kernel_symbols_fini(&symbols);
		free(copy);
	}
	for (size_t at = 4096; at < image.len; at += 11) {
		image.data[at] ^= 0x81;
		if (kallsyms_read(&symbols, image.data, image.len))
			kernel_symbols_fini(&symbols);
		image.data[at] ^= 0x81;
	}
	buf_fini(&image);
}

static int file_of(const void *data, size_t bytes)
{
	int fd = memfd_create("kernel", MFD_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, data, bytes), bytes);
	return fd;
}

static void check_image_file(int fd, const char *isa)
{
	char build_id[ELF_BUILD_ID_TEXT];
	struct symtab symtab;
	struct elf_load load;
	uint64_t offset;

	kernel_build_id(fd, build_id);
	assert_string_equal(build_id, "7856341202000000030000000400000005000000");
	assert_string_equal(kernel_isa(fd), isa);
	assert_int_equal(kernel_loads(fd, &load, 1), 1);
	assert_int_equal(load.start, BASE);
	assert_int_equal(load.file_off, 0);
	assert_true(kernel_names_read(&symtab, fd, "/nowhere/Image", build_id));
	assert_string_equal(symtab_find(&symtab, 0x3f, &offset), "_start");
	assert_string_equal(symtab_find(&symtab, 0x48, &offset), "sys_lockf1");
	assert_int_equal(offset, 8);
	/* Number 7 is data: no name, nor part of the code before it. */
	assert_null(symtab_find(&symtab, 7 * EACH, &offset));
	symtab_fini(&symtab);
	close(fd);
}

static void test_image(void **state)
{
	z_stream stream = { 0 };
	struct buf image, packed = BUF_INIT;

	(void)state;
	make(&image, FROM_6_5);
	check_image_file(file_of(image.data, image.len), "riscv64");
	assert_true(buf_reserve(&packed, image.len + 4096));
	assert_int_equal(deflateInit2(&stream, 6, Z_DEFLATED, 16 + MAX_WBITS, 8,
				      Z_DEFAULT_STRATEGY),
			 Z_OK);
	stream.next_in = image.data;
	stream.avail_in = (uInt)image.len;
	stream.next_out = packed.data;
	stream.avail_out = (uInt)packed.cap;
	assert_int_equal(deflate(&stream, Z_FINISH), Z_STREAM_END);
	check_image_file(file_of(packed.data, stream.total_out), "riscv64");
	/* Cut: refused. */
	assert_int_equal(
		kernel_loads(file_of(packed.data, stream.total_out - 9), NULL, 0), 0);
	deflateEnd(&stream);
	buf_fini(&packed);
	buf_fini(&image);
}

/* An ELF file: what each CPU has of its own, and the kernel in two parts with zeros between. */
static void make_vmlinux(struct buf *vmlinux, const struct buf *image)
{
	uint64_t half = 4096, rest = image->len - half, off = 4096;
	Elf64_Ehdr head = { .e_ident = ELFMAG "\2\1\1",
			    .e_machine = EM_X86_64,
			    .e_phoff = sizeof(head),
			    .e_phentsize = sizeof(Elf64_Phdr),
			    .e_phnum = 3 };
	Elf64_Phdr parts[] = {
		{ .p_type = PT_LOAD, .p_offset = off, .p_filesz = 64 },
		{ .p_type = PT_LOAD, .p_offset = off, .p_vaddr = BASE, .p_filesz = half },
		{ .p_type = PT_LOAD,
		  .p_offset = off + half,
		  .p_vaddr = BASE + half,
		  .p_filesz = rest },
	};

	*vmlinux = BUF_INIT;
	buf_put(vmlinux, &head, sizeof(head));
	buf_put(vmlinux, parts, sizeof(parts));
	while (vmlinux->len < off)
		buf_put_u8(vmlinux, 0);
	buf_put(vmlinux, image->data, image->len);
}

enum { PAYLOAD_AT = 3 * 512 + 5 };

/* How many bytes of to[room] it is when it is packed. */
static size_t packed(bool xz, uint8_t *to, size_t room, const struct buf *vmlinux)
{
	size_t bytes = 0;

	if (!xz) {
		bytes = ZSTD_compress(to, room, vmlinux->data, vmlinux->len, 3);
		assert_false(ZSTD_isError(bytes));
		return bytes;
	}
	assert_int_equal(lzma_easy_buffer_encode(3, LZMA_CHECK_CRC32, NULL, vmlinux->data,
						 vmlinux->len, to, &bytes, room),
			 LZMA_OK);
	return bytes;
}

/* Of 2 sectors and one, behind which the kernel is at byte 5. */
static void make_bzimage(struct buf *file, const struct buf *vmlinux, bool xz)
{
	size_t room =
		ZSTD_compressBound(vmlinux->len) + lzma_stream_buffer_bound(vmlinux->len);
	size_t bytes;

	*file = BUF_INIT;
	assert_true(buf_reserve(file, PAYLOAD_AT + room));
	memset(file->data, 0, PAYLOAD_AT);
	bytes = packed(xz, file->data + PAYLOAD_AT, room, vmlinux);
	file->len = PAYLOAD_AT + bytes;
	file->data[0x1f1] = 2;
	memcpy(file->data + 0x1fe, "\x55\xaaxxHdrS\x0f\x02", 10);
	memcpy(file->data + 0x248, (uint32_t[]){ 5, (uint32_t)bytes }, 8);
}

static void check_bzimage(bool xz)
{
	struct buf image, vmlinux, file;

	make(&image, FROM_6_5);
	make_vmlinux(&vmlinux, &image);
	make_bzimage(&file, &vmlinux, xz);
	check_image_file(file_of(file.data, file.len), "x86_64");
	/* Cut, damaged, or with a payload or part that is not in it: refused. */
	assert_int_equal(kernel_loads(file_of(file.data, file.len - 9), NULL, 0), 0);
	file.data[PAYLOAD_AT + 2] ^= 1;
	assert_int_equal(kernel_loads(file_of(file.data, file.len), NULL, 0), 0);
	file.data[PAYLOAD_AT + 2] ^= 1;
	memset(file.data + 0x248, 0xff, 8);
	assert_int_equal(kernel_loads(file_of(file.data, file.len), NULL, 0), 0);
	buf_fini(&file);
	((Elf64_Ehdr *)vmlinux.data)->e_phnum = 0xffff;
	make_bzimage(&file, &vmlinux, xz);
	assert_int_equal(kernel_loads(file_of(file.data, file.len), NULL, 0), 0);
	buf_fini(&file);
	buf_fini(&vmlinux);
	buf_fini(&image);
}

static void test_bzimage(void **state)
{
	(void)state;
	check_bzimage(false);
	check_bzimage(true);
}

static void test_map(void **state)
{
	static const char text[] = "ffffffff80000000 T _start\n"
				   "ffffffff80000000 t hart_entry\n"
				   "\n"
				   "ffffffff8000_odd\n"
				   "ffffffff80000100 W weak\n"
				   "ffffffff80000200 D data\n"
				   "ffffffff80000300 T __odd_text_end\n"
				   "ffffffff80000300 t last\n"
				   "ffffffff80000380 B end";
	int fd = file_of(text, sizeof(text) - 1);
	char build_id[ELF_BUILD_ID_TEXT];
	struct symtab symtab;
	struct elf_load load;
	uint64_t offset;

	(void)state;
	kernel_build_id(fd, build_id);
	assert_int_equal(strlen(build_id), 16);
	assert_null(kernel_isa(fd));
	assert_int_equal(kernel_loads(fd, &load, 1), 1);
	assert_int_equal(load.start, BASE);
	assert_int_equal(load.end, BASE + 0x380);
	assert_true(kernel_names_read(&symtab, fd, "/nowhere/System.map", build_id));
	assert_string_equal(symtab_find(&symtab, 0xff, &offset), "_start");
	assert_string_equal(symtab_find(&symtab, 0x1ff, &offset), "weak");
	assert_null(symtab_find(&symtab, 0x200, &offset));
	assert_string_equal(symtab_find(&symtab, 0x37f, &offset), "last");
	symtab_fini(&symtab);
	close(fd);
}

/* A build id's note of bytes of one value. */
static void put_note(uint8_t *at, uint8_t value)
{
	static const uint8_t begin[] = { 4, 0, 0, 0, 20,  0,   0,  0,
					 3, 0, 0, 0, 'G', 'N', 'U' };

	memcpy(at, begin, sizeof(begin));
	memset(at + 16, value, 20);
}

/* The vDSOs in an Image come before its own note, with notes of their own. */
static void test_build_id(void **state)
{
	enum { PAGE = 4096, VDSO = 2 * PAGE, OWN = 5 * PAGE + 0x700 };
	static uint8_t bytes[6 * PAGE];
	char build_id[ELF_BUILD_ID_TEXT];
	int fd;

	(void)state;
	memcpy(bytes + 0x38, "ARM\x64", 4);
	for (unsigned i = 0; i < 2; i++) {
		memcpy(bytes + VDSO + i * PAGE, ELFMAG, SELFMAG);
		put_note(bytes + VDSO + i * PAGE + 0x2a0, 0x11);
	}
	put_note(bytes + OWN, 0x22);
	fd = file_of(bytes, sizeof(bytes));
	kernel_build_id(fd, build_id);
	assert_string_equal(build_id, "2222222222222222222222222222222222222222");
	close(fd);
	fd = file_of(bytes, OWN);
	kernel_build_id(fd, build_id);
	assert_string_equal(build_id, "");
	close(fd);
}

/* Debian's System.map has two lines that say where the symbols are. */
static void test_no_names(void **state)
{
	static const char map[] = "ffffffffffffffff B The real System.map is in the "
				  "linux-image-<version>-dbg package\n";
	uint8_t header[64] = { 0 };

	(void)state;
	assert_int_equal(kernel_loads(file_of(map, sizeof(map) - 1), NULL, 0), 0);
	assert_int_equal(kernel_loads(file_of("", 0), NULL, 0), 0);
	memcpy(header + 0x30, "RISCV\0\0\0", 8);
	assert_int_equal(kernel_loads(file_of(header, sizeof(header)), NULL, 0), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_layouts),	 cmocka_unit_test(test_damage),
		cmocka_unit_test(test_image),	 cmocka_unit_test(test_map),
		cmocka_unit_test(test_no_names), cmocka_unit_test(test_bzimage),
		cmocka_unit_test(test_build_id),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
