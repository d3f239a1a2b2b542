#!lua
-- Count one use of a bucket; 1 while it had fewer than `limit` in this window, which its first use opens.
-- A use with a name is counted once, however often it is asked for.
local limit, window_ms, use = unpack(ARGV)
local uses
if use == '' then
  if tonumber(redis.call('GET', KEYS[1]) or 0) >= tonumber(limit) then return 0 end
  uses = redis.call('INCR', KEYS[1])
else
  if redis.call('SISMEMBER', KEYS[1], use) == 1 then return 1 end
  if redis.call('SCARD', KEYS[1]) >= tonumber(limit) then return 0 end
  redis.call('SADD', KEYS[1], use)
  uses = redis.call('SCARD', KEYS[1])
end
if uses == 1 then redis.call('PEXPIRE', KEYS[1], window_ms) end
return 1
