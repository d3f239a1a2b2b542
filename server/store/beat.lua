#!lua flags=allow-oom
-- Refresh who was heard, each only under its own generation, and the watchers; answer the head and everybody.
-- ARGV: how many were heard; guest, generation and ms since then of each; the watchers.
-- May run in a full store: it writes over what is there, and a silenced beat would send everyone away.
local stored = redis.call('HMGET', table_key, 'ver', 'seq', 'mark', 'due', 'since')
local ver, seq, mark, due = unpack(stored, 1, 4)
if not ver then return false end

local watchers = 2 + 3 * ARGV[1]
for i = 2, watchers - 1, 3 do
  local presence = read_presence(ARGV[i])
  if presence and presence.generation == tonumber(ARGV[i + 1]) and presence.open ~= '0' then
    presence.heard = math.max(presence.heard, now - tonumber(ARGV[i + 2]))
    presence.open = '1'
    redis.call('HSET', presence_key, ARGV[i], presence_text(presence))
  end
end
if forget_watchers() + count_anew(watchers) > 0 then say_watching('') end
bound_life()
return {now, tonumber(seq), tonumber(ver), mark, due, redis.call('HGETALL', presence_key), count_watchers(),
  stored[5] or whole(now)}
