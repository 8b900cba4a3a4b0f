-- SPDX-License-Identifier: GPL-2.0-or-later
-- Prints what of this process can be executed, as "MAP START-END FILE".
local words = {}
for i = 1, 20000 do
	words[i % 100] = (words[i % 100] or "") .. i
end
for line in io.lines("/proc/self/maps") do
	local range, flags, file = line:match("^(%S+) (%S+) %S+ %S+ %S+%s*(.*)$")
	if flags:find("x") then
		print("MAP " .. range .. " " .. file)
	end
end
