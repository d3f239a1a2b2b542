#!lua flags=allow-oom
-- Count these watchers from now on, or still; one who is seated is none. Answers how many watch.
-- May run in a full store, as a beat: it writes over what is there.
if redis.call('EXISTS', table_key) == 0 then return 0 end
local seated = {}
local everyone = redis.call('HGETALL', presence_key)
for i = 1, #everyone, 2 do
  -- Whose presence was closed left the seat, or is not here: then they do not say that they watch.
  seated[everyone[i]] = everyone[i + 1]:sub(-1) ~= '0'
end
local counted = {}
for _, watcher in ipairs(ARGV) do
  if not seated[watcher] then
    counted[#counted + 1] = whole(now)
    counted[#counted + 1] = watcher
  end
end
local changed = forget_watchers()
if #counted > 0 then changed = changed + redis.call('ZADD', watchers_key, unpack(counted)) end
if changed > 0 then say_watching('') end
bound_life()
return count_watchers()
