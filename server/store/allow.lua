#!lua
-- Count one use of a bucket; 1 while it had fewer than `limit` in this window, which its first use opens.
local limit, window_ms = unpack(ARGV)
if tonumber(redis.call('GET', KEYS[1]) or 0) >= tonumber(limit) then return 0 end
if redis.call('INCR', KEYS[1]) == 1 then redis.call('PEXPIRE', KEYS[1], window_ms) end
return 1
