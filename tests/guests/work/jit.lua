-- SPDX-License-Identifier: GPL-2.0-or-later
-- For LuaJIT: loops that become traces, branches that change their direction later, so
-- that side traces are patched into them, and functions made at run time.
-- usage: luajit jit.lua ROUNDS

local rounds = tonumber(arg[1])
local sum = 0

local function fib(n)
	if n < 2 then return n end
	return fib(n - 1) + fib(n - 2)
end

local function collatz(n)
	local steps = 0
	while n ~= 1 do
		if n % 2 == 0 then n = n / 2 else n = 3 * n + 1 end
		steps = steps + 1
	end
	return steps
end

for round = 1, rounds do
	local list = {}
	for i = 1, 200 do list[i] = (i * 7919 + round) % 1009 end
	table.sort(list, round % 2 == 0 and function(a, b) return a > b end or nil)
	for i = 1, 200 do sum = (sum * 31 + list[i]) % 1000003 end
	sum = sum + collatz(round) + fib(round % 10)
end
for i = 1, 20 do
	local source = "local n, x = ..., 0 for i = 1, 100 do x = x + i * n + " .. i .. " end return x"
	sum = (sum + loadstring(source)(i)) % 1000003
end
print("jit", sum)
