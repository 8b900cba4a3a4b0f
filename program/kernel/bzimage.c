// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A bzImage is a boot sector, a program that runs in real mode, and one that unpacks the
 * kernel. Its header says where the packed kernel is (Documentation/arch/x86/boot.rst of
 * Linux: setup_sects, payload_offset, payload_length). That is an ELF file whose symbols have
 * been taken out; its own table of them, and its BTF, are in its memory.
 *
 * Example: setup_sects 39, payload_offset 716: the packed kernel begins at byte
 * (39 + 1) * 512 + 716. It is linked at 0xffffffff81000000.
 *
 * Invariant: what is read lies in the file and in the unpacked kernel; the image is no larger
 * than UNPACKED_BYTES_MAX.
 */
#include "program/kernel/bzimage.h"

#include <elf.h>
#include <string.h>

#include "program/kernel/unpack.h"

enum {
	SECTORS_AT = 0x1f1,
	BOOT_FLAG_AT = 0x1fe,
	MAGIC_AT = 0x202,
	VERSION_AT = 0x206,
	PAYLOAD_OFF_AT = 0x248,
	PAYLOAD_BYTES_AT = 0x24c,
	SECTOR_BYTES = 512,
	SECTORS_DEFAULT = 4,	  /* what 0 means */
	VERSION_PAYLOAD = 0x0208, /* from which on it says where that is */
};

static uint32_t word_at(const uint8_t *at)
{
	return at[0] | at[1] << 8 | at[2] << 16 | (uint32_t)at[3] << 24;
}

bool bzimage_is(const uint8_t *head, size_t n)
{
	return n >= BZIMAGE_HEAD_BYTES && head[BOOT_FLAG_AT] == 0x55 &&
	       head[BOOT_FLAG_AT + 1] == 0xaa && !memcmp(head + MAGIC_AT, "HdrS", 4) &&
	       (word_at(head + VERSION_AT) & 0xffff) >= VERSION_PAYLOAD;
}

static bool unpack_vmlinux(struct buf *vmlinux, const struct buf *file)
{
	unsigned sectors = file->data[SECTORS_AT] ? file->data[SECTORS_AT] :
						    SECTORS_DEFAULT;
	uint64_t off = (sectors + 1) * (uint64_t)SECTOR_BYTES +
		       word_at(file->data + PAYLOAD_OFF_AT);
	uint64_t bytes = word_at(file->data + PAYLOAD_BYTES_AT);

	return off <= file->len && bytes <= file->len - off &&
	       unpack(vmlinux, file->data + off, bytes);
}

/* A part of the kernel; those of each CPU's own data are linked at 0, and left out. */
static bool is_kernel(const Elf64_Phdr *part, size_t bytes)
{
	return part->p_type == PT_LOAD && part->p_vaddr >> 63 &&
	       part->p_offset <= bytes && part->p_filesz <= bytes - part->p_offset &&
	       part->p_filesz <= UINT64_MAX - part->p_vaddr;
}

/* Part `i` of the file; false: it is not in the kernel's memory. */
static bool part_at(const struct buf *vmlinux, const Elf64_Ehdr *head, unsigned i,
		    Elf64_Phdr *part)
{
	memcpy(part, vmlinux->data + head->e_phoff + i * sizeof(*part), sizeof(*part));
	return is_kernel(part, vmlinux->len);
}

static bool read_head(const struct buf *vmlinux, Elf64_Ehdr *head)
{
	if (vmlinux->len < sizeof(*head))
		return false;
	memcpy(head, vmlinux->data, sizeof(*head));
	return !memcmp(head->e_ident, ELFMAG, SELFMAG) &&
	       head->e_ident[EI_CLASS] == ELFCLASS64 && head->e_machine == EM_X86_64 &&
	       head->e_phentsize == sizeof(Elf64_Phdr) && head->e_phoff <= vmlinux->len &&
	       head->e_phnum <= (vmlinux->len - head->e_phoff) / sizeof(Elf64_Phdr);
}

/* The parts side by side, as they are in memory. What is between them is zeros. */
static bool lay_out(struct buf *image, uint64_t *start, const struct buf *vmlinux)
{
	uint64_t end = 0;
	Elf64_Ehdr head;
	Elf64_Phdr part;

	*start = UINT64_MAX;
	if (!read_head(vmlinux, &head))
		return false;
	for (unsigned i = 0; i < head.e_phnum; i++) {
		if (!part_at(vmlinux, &head, i, &part))
			continue;
		*start = part.p_vaddr < *start ? part.p_vaddr : *start;
		end = part.p_vaddr + part.p_filesz > end ? part.p_vaddr + part.p_filesz :
							   end;
	}
	if (end <= *start || end - *start > UNPACKED_BYTES_MAX ||
	    !buf_reserve(image, end - *start))
		return false;
	memset(image->data, 0, end - *start);
	image->len = end - *start;
	for (unsigned i = 0; i < head.e_phnum; i++)
		if (part_at(vmlinux, &head, i, &part))
			memcpy(image->data + (part.p_vaddr - *start),
			       vmlinux->data + part.p_offset, part.p_filesz);
	return true;
}

bool bzimage_read(struct buf *image, uint64_t *start, const struct buf *file)
{
	struct buf vmlinux = BUF_INIT;
	bool good = unpack_vmlinux(&vmlinux, file) && lay_out(image, start, &vmlinux);

	buf_fini(&vmlinux);
	return good;
}
