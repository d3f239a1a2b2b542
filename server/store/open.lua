#!lua
-- Create a table with its first batch: the only script that creates one. False if the id is taken.
-- Asked again with the same epoch (the first answer was lost), it answers as before.
local epoch, state, events, ttl = unpack(ARGV)
local taken = redis.call('HMGET', table_key, 'epoch', 'seq')
if taken[1] then
  if taken[1] == epoch and taken[2] == '1' then return redis.call('LINDEX', batches_key, 0) end
  return false
end
local previous = string.rep('0', 16)
local mark = redis.sha1hex(previous .. events):sub(1, 16)
local frame = '{"epoch":"' .. epoch .. '","seq":1,"mark":"' .. mark .. '","at":' .. whole(now)
  .. ',"events":' .. events .. '}'
redis.call('DEL', unpack(KEYS))
redis.call('HSET', table_key, 'ver', 1, 'seq', 1, 'mark', mark, 'due', '-', 'since', whole(now),
  'epoch', epoch, 'state', state, 'gen', 0)
redis.call('RPUSH', batches_key, previous .. mark .. frame)
redis.call('PEXPIRE', table_key, ttl)
redis.call('PEXPIRE', batches_key, ttl)
return previous .. mark .. frame
