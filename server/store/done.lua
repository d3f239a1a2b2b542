#!lua flags=allow-oom
-- Tell whether a guest's command was done before; if not, and an `answer` is given, remember it as done just now.
-- That is for one that found nothing to do: nothing was committed, so its seq is 0. May run in a full store, which
-- else could not even say why it refuses; what it writes is small, and bounded.
local guest, cmd, answer = unpack(ARGV)
local ver, remembered = unpack(redis.call('HMGET', table_key, 'ver', 'c:' .. guest))
if not ver then return false end
remembered = remembered or ''
local seq, then_answered = done_before(remembered, cmd)
if seq then return {now, tonumber(seq), then_answered} end
if answer ~= '' then
  redis.call('HSET', table_key, 'c:' .. guest, with_done(remembered, cmd, 0, answer))
end
return false
