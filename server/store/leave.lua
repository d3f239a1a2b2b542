#!lua flags=allow-oom
-- Close a connection's presence, only under its own generation, or a watcher's (generation 0).
-- `heard` becomes now: the connection lasted until now, and absence is counted from here.
local guest, generation = unpack(ARGV)
if redis.call('EXISTS', table_key) == 0 then return 0 end
if generation == '0' then
  if redis.call('ZREM', watchers_key, guest) == 1 then say_watching(guest) end
  return 1
end
local presence = read_presence(guest)
if not presence or presence.generation ~= tonumber(generation) then return 0 end
if presence.open ~= '0' then
  presence.open, presence.heard = '0', now
  redis.call('HSET', presence_key, guest, presence_text(presence))
  say_presence(guest, presence)
  say_watching(guest)
end
return 1
