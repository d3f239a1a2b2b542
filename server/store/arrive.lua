#!lua
-- Give a connection its place: the next generation of a seated guest, or a watcher's (0).
-- Generations are the table's, never a guest's own: one who left and sat again cannot meet an old number.
local guest, known_seq, sitting, restart_ms = unpack(ARGV)
local stored = redis.call('HMGET', table_key, 'ver', 'seq', 'mark', 'due', 'epoch', 'state', 'since')
local ver, seq, mark, due, epoch, state = unpack(stored, 1, 6)
local since = stored[7] or whole(now)
if not ver then return false end

local generation = 0
local everyone = redis.call('HGETALL', presence_key)
local seated, anybody = sitting ~= '', false
local absent = {}
for i = 1, #everyone, 2 do
  if everyone[i] == guest then seated = true end
  local presence = read_presence(everyone[i])
  if presence.open == '1' and presence.heard > now - PRESENT_MS then
    anybody = true
  else
    absent[#absent + 1] = {everyone[i], presence}
  end
end

if not seated then
  if forget_watchers() + redis.call('ZADD', watchers_key, whole(now), guest) > 0 then say_watching('') end
else
  if not anybody then
    for _, one in ipairs(absent) do
      one[2].heard = now
      if one[2].open == '1' then one[2].open = '2' end
      redis.call('HSET', presence_key, one[1], presence_text(one[2]))
    end
    since = whole(now)
    if due ~= '-' then due = whole(now + tonumber(restart_ms)) end
    redis.call('HSET', table_key, 'due', due, 'since', since)
  end
  generation = redis.call('HINCRBY', table_key, 'gen', 1)
  local presence = {generation = generation, heard = now, open = '1'}
  redis.call('HSET', presence_key, guest, presence_text(presence))
  if redis.call('ZREM', watchers_key, guest) == 1 then say_watching('') end
  say_presence(guest, presence)
end
bound_life()
return {now, tonumber(seq), tonumber(ver), mark, due, epoch, state, batches_after(known_seq, tonumber(seq)),
  since, generation, redis.call('HGETALL', presence_key), count_watchers(), said_lines()}
