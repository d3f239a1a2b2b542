-- What every script here needs: put between a script's first line and its rest (scripts.py does it).
-- Times are ms; numbers are written by `whole`, since tostring(1.7e12) is '1.7e+12'.
-- A presence is 'generation heard open': open is 1, 0 (left) or 2 (lapsed: not heard of when the table's
-- first person came back; a beat of its generation opens it again, which a closed one never is).
local table_key, batches_key, said_key, presence_key, watchers_key, receipts_key = unpack(KEYS)
local PRESENT_MS, WATCHING_MS = 15000, 20000
local clock = redis.call('TIME')
local now = clock[1] * 1000 + math.floor(clock[2] / 1000)

local function whole(number)
  return string.format('%.0f', number)
end

-- The batches kept after a seq ('' for none asked): the list is dense and ends at `seq`.
local function batches_after(known_seq, seq)
  local missing = known_seq ~= '' and seq - known_seq or 0
  if missing <= 0 then return {} end
  return redis.call('LRANGE', batches_key, whole(-missing), -1)
end

-- The newest 50 lines of chat, oldest first.
local function said_lines()
  return redis.call('LRANGE', said_key, 0, -1)
end

local function read_presence(guest)
  local text = redis.call('HGET', presence_key, guest)
  if not text then return nil end
  local generation, heard, open = text:match('^(%d+) (%d+) (%d)$')
  return {generation = tonumber(generation), heard = tonumber(heard), open = open}
end

local function presence_text(presence)
  return whole(presence.generation) .. ' ' .. whole(presence.heard) .. ' ' .. presence.open
end

local function say_presence(guest, presence)
  redis.call('SPUBLISH', table_key, cmsgpack.pack(
    {'presence', guest, presence.generation, presence.heard, presence.open == '1' and 1 or 0}))
end

-- What a command was answered before. They are kept as text, a line each: id, seq, answer, with tabs between (neither
-- is in any of the three). As lists, packed and unpacked, they were a sixth of a commit.
local function done_before(remembered, cmd)
  local _, last = remembered:find('\n' .. cmd .. '\t', 1, true)
  if last then return remembered:match('^(%d+)\t([^\n]*)', last + 1) end
end

-- The newest sixteen of them, this one among them.
local function with_done(remembered, cmd, seq, answer)
  local kept = remembered .. '\n' .. cmd .. '\t' .. whole(seq) .. '\t' .. answer
  local _, lines = kept:gsub('\n', '')
  if lines > 16 then kept = kept:sub((kept:find('\n', 2, true))) end
  return kept
end

-- Presence and watchers live as long as their table and never longer.
local function bound_life()
  local left = redis.call('PTTL', table_key)
  if left > 0 then
    redis.call('PEXPIRE', presence_key, left)
    redis.call('PEXPIRE', watchers_key, left)
  end
end

-- Take out the watchers that no worker speaks for any more; returns how many.
local function forget_watchers()
  return redis.call('ZREMRANGEBYSCORE', watchers_key, '-inf', '(' .. whole(now - WATCHING_MS))
end

local function count_watchers()
  return redis.call('ZCOUNT', watchers_key, whole(now - WATCHING_MS), '+inf')
end

-- Count the watchers of ARGV from there on, now and for a while; one who is seated is none. Returns how many are new.
local function count_anew(first)
  if not ARGV[first] then return 0 end
  local seated = {}
  local everyone = redis.call('HGETALL', presence_key)
  for i = 1, #everyone, 2 do
    -- Whose presence was closed left the seat, or is not here: then they do not say that they watch.
    seated[everyone[i]] = everyone[i + 1]:sub(-1) ~= '0'
  end
  local counted = {}
  for i = first, #ARGV do
    if not seated[ARGV[i]] then
      counted[#counted + 1] = whole(now)
      counted[#counted + 1] = ARGV[i]
    end
  end
  return #counted > 0 and redis.call('ZADD', watchers_key, unpack(counted)) or 0
end

-- Tell every worker how many watch, whenever that has changed. `gone` ('' for nobody) is one who is not counted now:
-- a worker where they watch all the same (another tab of theirs, or they left their seat) counts them again.
local function say_watching(gone)
  redis.call('SPUBLISH', table_key, cmsgpack.pack({'watching', now, count_watchers(), gone}))
end

-- Drop the presence of one who has no seat (any more); a worker where they still are counts them as a watcher.
local function forget_presence(guest)
  if redis.call('HDEL', presence_key, guest) == 1 then say_watching(guest) end
end
