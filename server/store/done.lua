#!lua flags=no-writes
-- Tell whether a guest's command was committed before.
local guest, cmd = unpack(ARGV)
local remembered = redis.call('HGET', table_key, 'c:' .. guest)
if not remembered then return false end
local seq, answer = done_before(cmsgpack.unpack(remembered), cmd)
return seq and {now, tonumber(seq), answer} or false
