#!lua
-- Have a bell rung for a guest, by every worker, once in `every_ms` a table; remembered as done like a commit,
-- but neither numbered nor kept. 1 if it rings or has rung for this command, 0 if too soon, false if the table is gone.
local guest, cmd, wanted, every_ms = unpack(ARGV)
local ver, seq, nudged, remembered = unpack(
  redis.call('HMGET', table_key, 'ver', 'seq', 'nudged', 'c:' .. guest))
if not ver then return false end
remembered = remembered or ''
if done_before(remembered, cmd) then return 1 end
if nudged and now < nudged + every_ms then return 0 end

local kept = with_done(remembered, cmd, tonumber(seq), '{}')
redis.call('HSET', table_key, 'nudged', whole(now), 'c:' .. guest, kept)
redis.call('SPUBLISH', table_key, cmsgpack.pack({'notice', wanted, 'nudged'}))
return 1
