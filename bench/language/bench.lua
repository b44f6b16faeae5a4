-- The 17 rows of the language benchmark for Lua 5.4 and LuaJIT. Each row runs once as a warm-up and once timed, and
-- prints `name,checksum,milliseconds`. Arguments choose rows. The JSON rows need the lua-cjson module.
-- Time is os.clock, CPU time of the process: Lua has no finer wall clock, and the rows neither wait nor use threads.

local M = 1000000007
local floor = math.floor
local _, cjson = pcall(require, "cjson")

local function int_arith()
  local s = 0
  for i = 0, 20000000 - 1 do s = (s + i * 3 + 7) % M end
  return s
end

local function float_arith()
  local x = 1.0
  for _ = 1, 20000000 do
    x = x * 1.0000003 + 0.5
    if x > 1e6 then x = x - 1e6 end
  end
  return floor(x * 1000) % M
end

local function loop()
  local s = 0
  for _ = 0, 100000000 - 1 do s = (s + 1) % M end
  return s
end

local function plus_one(x) return x + 1 end

local function fn_call()
  local s = 0
  for i = 0, 20000000 - 1 do s = (s + plus_one(i)) % M end
  return s
end

local function inner(x) return x + 1 end
local function middle(x) return inner(x) + 1 end
local function outer(x) return middle(x) + 1 end

local function nested_fn()
  local s = 0
  for i = 0, 10000000 - 1 do s = (s + outer(i)) % M end
  return s
end

local function fib(n)
  if n < 2 then return n end
  return fib(n - 1) + fib(n - 2)
end

local function recursion() return fib(32) end

local function array_create_iterate()
  local s = 0
  for _ = 1, 20000 do
    local a = {}
    for j = 0, 999 do a[#a + 1] = j end
    local sum = 0
    for j = 1, #a do sum = sum + a[j] end
    s = (s + sum) % M
  end
  return s
end

local function array_push_pop()
  local s = 0
  for _ = 1, 20000 do
    local a = {}
    for j = 0, 999 do a[#a + 1] = j end
    local sum = 0
    local n = #a
    while n > 0 do
      sum = sum + a[n]
      a[n] = nil
      n = #a
    end
    s = (s + sum) % M
  end
  return s
end

local function assoc_access()
  local map = {}
  for i = 0, 99 do map["k" .. i] = i end
  local s = 0
  for i = 0, 5000000 - 1 do
    local key = "k" .. (i % 100)
    s = (s + map[key]) % M
  end
  return s
end

local function object_create()
  local s = 0
  for i = 0, 5000000 - 1 do
    local r = { a = i, b = i + 1, c = i + 2, d = i + 3, e = i + 4 }
    s = (s + r.c) % M
  end
  return s
end

local function string_concat()
  local s = 0
  for _ = 1, 20000 do
    local t = ""
    for _ = 1, 1000 do t = t .. "x" end
    s = s + #t
  end
  return s
end

local function string_search()
  local hay = ("a"):rep(984) .. "needle" .. ("b"):rep(10)
  local s = 0
  for _ = 1, 1000000 do s = (s + (hay:find("needle", 1, true) - 1)) % M end
  return s
end

local function string_slice()
  local hay = ("a"):rep(1000)
  local s = 0
  for i = 0, 2000000 - 1 do
    local start = i % 900
    s = s + #hay:sub(start + 1, start + 50)
  end
  return s
end

local function json_parse()
  local src = '{"id":42,"name":"look","tags":[1,2,3],"active":true}'
  local s = 0
  for _ = 1, 1000000 do s = s + cjson.decode(src).id end
  return s
end

local function json_serialize()
  local o = { id = 42, name = "look", tags = { 1, 2, 3 }, active = true }
  local s = 0
  for _ = 1, 1000000 do s = s + #cjson.encode(o) end
  return s
end

-- Lua patterns are no regex engine; this expression means the same in both.
local function regex()
  local t = "contact alice@example.com or bob@test.org or carol@mail.net today"
  local s = 0
  for _ = 1, 500000 do
    local matches = {}
    for word in t:gmatch("[a-z]+@[a-z]+%.[a-z]+") do matches[#matches + 1] = word end
    s = s + #matches
  end
  return s
end

-- pcall of a closure is Lua's try/catch, so every iteration pays for a closure too.
local function exception()
  local s = 0
  for i = 0, 2000000 - 1 do
    local ok = pcall(function()
      if i % 2 == 0 then error("err", 0) end
      s = (s + 1) % M
    end)
    if not ok then s = (s + 2) % M end
  end
  return s
end

local rows = {
  { "int_arith", int_arith },
  { "float_arith", float_arith },
  { "loop", loop },
  { "fn_call", fn_call },
  { "nested_fn", nested_fn },
  { "recursion", recursion },
  { "array_create_iterate", array_create_iterate },
  { "array_push_pop", array_push_pop },
  { "assoc_access", assoc_access },
  { "object_create", object_create },
  { "string_concat", string_concat },
  { "string_search", string_search },
  { "string_slice", string_slice },
  { "json_parse", json_parse },
  { "json_serialize", json_serialize },
  { "regex", regex },
  { "exception", exception },
}

local only = {}
for _, name in ipairs(arg) do only[name] = true end

for _, entry in ipairs(rows) do
  local name, row = entry[1], entry[2]
  if #arg == 0 or only[name] then
    row()
    local start = os.clock()
    local checksum = row()
    local seconds = os.clock() - start
    print(string.format("%s,%.0f,%.2f", name, checksum, seconds * 1000))
  end
end
