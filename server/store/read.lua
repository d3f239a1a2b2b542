#!lua flags=no-writes
-- Read a table, the batches after a seq, and what was said if asked.
local known_seq, want_said = unpack(ARGV)
local stored = redis.call('HMGET', table_key, 'ver', 'seq', 'mark', 'due', 'epoch', 'state', 'since')
local ver, seq, mark, due, epoch, state = unpack(stored)
if not ver then return false end
seq = tonumber(seq)
return {now, seq, tonumber(ver), mark, due, epoch, state, batches_after(known_seq, seq), stored[7] or whole(now),
  want_said ~= '' and said_lines() or {}}
