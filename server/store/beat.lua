#!lua flags=allow-oom
-- Refresh who was heard, each only under its own generation, and the watchers; answer the head and everybody.
-- May run in a full store: it writes over what is there, and a silenced beat would send everyone away.
local heard_count = tonumber(ARGV[1])
local stored = redis.call('HMGET', table_key, 'ver', 'seq', 'mark', 'due', 'since')
local ver, seq, mark, due = unpack(stored, 1, 4)
if not ver then return false end

local last = 1 + 3 * heard_count
for i = 2, last, 3 do
  local presence = read_presence(ARGV[i])
  if presence and presence.generation == tonumber(ARGV[i + 1]) and presence.open ~= '0' then
    presence.heard = math.max(presence.heard, now - tonumber(ARGV[i + 2]))
    presence.open = '1'
    redis.call('HSET', presence_key, ARGV[i], presence_text(presence))
  end
end
for i = last + 1, #ARGV do
  if redis.call('HEXISTS', presence_key, ARGV[i]) == 0 then
    redis.call('ZADD', watchers_key, whole(now), ARGV[i])
  end
end
redis.call('ZREMRANGEBYSCORE', watchers_key, '-inf', '(' .. whole(now - WATCHING_MS))
bound_life()
return {now, tonumber(seq), tonumber(ver), mark, due, redis.call('HGETALL', presence_key), count_watchers(),
  stored[5] or whole(now)}
