-- SPDX-License-Identifier: GPL-2.0-or-later
-- A mixed Lua load: recursion, tables, strings, closures, sorting. arg[1] scales it.
-- No pairs(): its order depends on Lua's random hash seed.

local scale = tonumber(arg[1]) or 1

local seed = 12345
local function random(limit)
	seed = (seed * 1103515245 + 12345) & 0x7fffffff
	return (seed >> 8) % limit + 1
end

local function queens(n)
	local cols, up, down, found = {}, {}, {}, 0
	local function place(row)
		if row > n then
			found = found + 1
			return
		end
		for c = 1, n do
			if not (cols[c] or up[row + c] or down[row - c + n]) then
				cols[c], up[row + c], down[row - c + n] = true, true, true
				place(row + 1)
				cols[c], up[row + c], down[row - c + n] = nil, nil, nil
			end
		end
	end
	place(1)
	return found
end

local function tree(depth)
	if depth == 0 then
		return {}
	end
	return { tree(depth - 1), tree(depth - 1) }
end

local function count(node)
	if not node[1] then
		return 1
	end
	return 1 + count(node[1]) + count(node[2])
end

local function words(n)
	local list, freq = {}, {}
	for i = 1, n do
		local word = {}
		for j = 1, random(3) + 1 do
			word[j] = string.char(96 + random(6))
		end
		list[i] = table.concat(word)
		freq[list[i]] = (freq[list[i]] or 0) + 1
	end
	local text = table.concat(list, " ")
	local distinct, seen = {}, {}
	for w in text:gmatch("%a+") do
		if not seen[w] then
			seen[w] = true
			distinct[#distinct + 1] = w
		end
	end
	table.sort(distinct, function(a, b)
		if freq[a] ~= freq[b] then
			return freq[a] > freq[b]
		end
		return a < b
	end)
	local shouted = text:gsub("a(%a)", function(c) return c:upper() end)
	return #distinct, distinct[1], #shouted, (text:find("abc", 1, true))
end

local function compose(fs)
	return function(x)
		for i = 1, #fs do
			x = fs[i](x)
		end
		return x
	end
end

local Account = {}
Account.__index = Account
Account.__add = function(a, b) return Account.new(a.sum + b.sum) end

function Account.new(sum) return setmetatable({ sum = sum }, Account) end
function Account:deposit(v) self.sum = self.sum + v return self end

local function sieve(n)
	local composite, primes = {}, 0
	for i = 2, n do
		if not composite[i] then
			primes = primes + 1
			for j = i * i, n, i do
				composite[j] = true
			end
		end
	end
	return primes
end

for round = 1, scale do
	local fs = {}
	for i = 1, 8 do
		fs[i] = function(x) return (x * i + round) % 65521 end
	end
	local f, x = compose(fs), round
	for _ = 1, 500 do
		x = f(x)
	end
	local acc = Account.new(0)
	for i = 1, 500 do
		acc = acc:deposit(i) + Account.new(i % 7)
	end
	local ok, err = pcall(function() error({ code = round }) end)
	local form = "%d: %d queens, %d nodes, %d primes, closures %d, sum %d, %s %d"
	print(form:format(round, queens(6), count(tree(8)), sieve(2000), x, acc.sum, ok,
		err.code))
	print(words(600))
end
