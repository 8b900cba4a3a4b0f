// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A BPF program, called "filtering", that the kernel translates: it is run for each of 100
 * packets, all of which it lets through.
 */
#include <linux/bpf.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

static char log_text[4096];

int main(void)
{
	struct bpf_insn program[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = 0, .imm = 64 },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	union bpf_attr load;
	char packet[64] = "packet";
	int sockets[2], fd, got = 0;

	memset(&load, 0, sizeof(load));
	load.prog_type = BPF_PROG_TYPE_SOCKET_FILTER;
	load.insns = (unsigned long)program;
	load.insn_cnt = sizeof(program) / sizeof(*program);
	load.license = (unsigned long)"GPL";
	load.log_buf = (unsigned long)log_text;
	load.log_size = sizeof(log_text);
	load.log_level = 1;
	strcpy(load.prog_name, "filtering");
	fd = (int)syscall(SYS_bpf, BPF_PROG_LOAD, &load, sizeof(load));
	if (fd < 0 || socketpair(AF_UNIX, SOCK_DGRAM, 0, sockets) != 0 ||
	    setsockopt(sockets[1], SOL_SOCKET, SO_ATTACH_BPF, &fd, sizeof(fd)) != 0)
		return 1;
	for (int i = 0; i < 100; i++) {
		if (write(sockets[0], packet, sizeof(packet)) != sizeof(packet))
			return 2;
		got += read(sockets[1], packet, sizeof(packet)) == sizeof(packet);
	}
	return got == 100 ? 0 : 3;
}
