-- SPDX-License-Identifier: GPL-2.0-or-later
--
-- Runs in the guest before its script: lists the traces that LuaJIT compiles, as a jitdump,
-- which the recorder finds by its mapping. A trace is named by the function in which it
-- begins, "TRACE:*12(11/1) app.lua:7": trace 12, which goes on from exit 1 of trace 11, in
-- the function of line 7. The line where it begins is that of its code. Behind it are the exits by
-- which it goes back to the interpreter, "TRACE:*12(11/1) app.lua:7 [exits]".
--
-- Whatever fails here must not be felt by the script: then its code has no names.

local function start()
	local ffi = require("ffi")
	local util = require("jit.util")
	local C = ffi.C

	ffi.cdef [[
		int waymark_getpid(void) __asm__("getpid");
		int waymark_open(const char *path, int flags, int mode) __asm__("open");
		long waymark_write(int fd, const void *data, size_t bytes) __asm__("write");
		int waymark_unlink(const char *path) __asm__("unlink");
		int waymark_unsetenv(const char *name) __asm__("unsetenv");
		void *waymark_mmap(void *at, size_t bytes, int prot, int flags, int fd,
				   long off) __asm__("mmap");
	]]

	C.waymark_unsetenv("LUA_INIT")
	local u32, u64 = ffi.typeof("uint32_t[1]"), ffi.typeof("uint64_t[1]")
	local function put32(value) return ffi.string(u32(value), 4) end
	local function put64(value) return ffi.string(u64(value), 8) end

	local O_RDWR_CREAT_EXCL_CLOEXEC, PROT_READ_EXEC, MAP_PRIVATE = 0x800c2, 5, 2
	local pid = C.waymark_getpid()
	local path = "/tmp/jit-" .. pid .. ".dump"
	local fd = C.waymark_open(path, O_RDWR_CREAT_EXCL_CLOEXEC, ffi.cast("int", 384))
	if fd < 0 then return end
	C.waymark_unlink(path)
	local function put(text) C.waymark_write(fd, text, #text) end
	-- The pid is checked at each write: a forked child has traces of its own.
	put(put32(0x4a695444) .. put32(1) .. put32(40) .. put32(243) .. put32(0) ..
		put32(pid) .. put64(0) .. put64(1))
	C.waymark_mmap(nil, 4096, PROT_READ_EXEC, MAP_PRIVATE, fd, 0)

	-- Where the recording of a trace began: a "start" comes before its "stop".
	local starts = {}

	-- `index` is of this piece of code alone.
	local function put_code(name, address, code, index)
		put(put32(0) .. put32(56 + #name + 1 + #code) .. put64(0) .. put32(pid) ..
			put32(pid) .. put64(address) .. put64(address) .. put64(#code) ..
			put64(index) .. name .. "\0" .. code)
	end

	-- Where all traces share their exits, the number of an exit alone says where it is.
	local shared = select(2, pcall(util.traceexitstub, 0)) ~= nil

	-- Exits of 4 bytes each, behind what they have in common, where the trace ends.
	local function list_exits(name, number, last)
		local known, first = pcall(util.traceexitstub, number, 0)
		local info = util.traceinfo(number)
		if shared or not known or not first or not info then return end
		local bytes = first - last + 4 * info.nexit
		if bytes > 0 and bytes < 65536 then
			put_code(name .. " [exits]", last, ffi.string(ffi.cast("char *", last), bytes),
				number + 2 ^ 32)
		end
	end

	local function list(number)
		local code, address = util.tracemc(number)
		local name, line, file = unpack(starts[number] or {})
		starts[number] = nil
		if not code or not name or #code == 0 or C.waymark_getpid() ~= pid then
			return
		end
		local last = address + #code
		address = ffi.cast("uint64_t", address)
		put(put32(2) .. put32(48 + #file + 1) .. put64(0) .. put64(address) .. put64(1) ..
			put64(address) .. put32(line) .. put32(0) .. file .. "\0")
		put_code(name, address, code, number)
		list_exits(name, number, last)
	end

	local function on_trace(what, number, func, pc, other, exit)
		if what == "start" then
			local info = util.funcinfo(func, pc)
			local from = other and "(" .. tostring(other) .. "/" .. tostring(exit) ..
				")" or ""
			-- A file's main function is defined at no line.
			local defined = info.linedefined
			if not defined or defined == 0 then defined = info.currentline end
			local file = (info.source or "?"):gsub("^@", "")
			if not defined or defined < 1 then return end
			starts[number] = { string.format("TRACE:*%d%s %s:%d", number, from, file,
				defined), info.currentline, file }
		elseif what == "stop" then
			list(number)
		end
	end

	jit.attach(function(...) pcall(on_trace, ...) end, "trace")
end

pcall(start)
