#!lua
-- Count one use of a bucket; 1 while it had fewer than `limit` in this window.
-- Without names, the first use opens the window. A use with a name is counted once, however often it is asked for, and
-- for `window_ms` from then on: so that no span of that length has more, wherever it begins.
local limit, window_ms, use = unpack(ARGV)
local key = KEYS[1]
if use == '' then
  if tonumber(redis.call('GET', key) or 0) >= tonumber(limit) then return 0 end
  if redis.call('INCR', key) == 1 then redis.call('PEXPIRE', key, window_ms) end
  return 1
end
redis.call('ZREMRANGEBYSCORE', key, '-inf', whole(now - window_ms))
if redis.call('ZSCORE', key, use) then return 1 end
if redis.call('ZCARD', key) >= tonumber(limit) then return 0 end
redis.call('ZADD', key, whole(now), use)
redis.call('PEXPIRE', key, window_ms)
return 1
