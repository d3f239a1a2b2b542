#!lua
-- Save and speak in one step: all checks before any write, no flags, so that a full store refuses up front.
-- A table that is gone is never made anew here. There is no rollback: after the first write nothing may fail,
-- so whatever can (decoding, formatting) is done before it.
local expect_ver, guest, cmd, answer, state, events = unpack(ARGV, 1, 6)
local due, timed, guarded, guard_generation, gone_ms = unpack(ARGV, 7, 11)
local said, unsaid, known_seq, worker, ttl, receipt = unpack(ARGV, 12, 17)
local FREED = 18  -- From here on: the guests whose seats this frees.

local stored = redis.call('HMGET', table_key, 'ver', 'seq', 'mark', 'due', 'epoch', 'c:' .. guest, 'since', 'until')
local ver, seq, previous, stored_due, epoch = unpack(stored, 1, 5)
local since = stored[7] or whole(now)
if not ver then return {'gone'} end
ver, seq = tonumber(ver), tonumber(seq)

local named = guest ~= '' and cmd ~= ''
local remembered = stored[6] or ''
if named then
  local done_seq, done_answer = done_before(remembered, cmd)
  if done_seq then return {'done', now, tonumber(done_seq), done_answer} end
end
if (state ~= '' or expect_ver ~= '') and ver ~= tonumber(expect_ver) then
  return {'clash', now, seq, ver, previous, stored_due, epoch, redis.call('HGET', table_key, 'state'),
    batches_after(known_seq, seq), since, said_lines()}
end
if timed ~= '' and (stored_due == '-' or now < tonumber(stored_due)) then
  return {'early', now, stored_due}
end
if guarded ~= '' then
  local presence = read_presence(guarded)
  if presence and (presence.generation ~= tonumber(guard_generation)
      or presence.heard > now - tonumber(gone_ms)) then
    return {'here', now}
  end
end

-- Everything that is written is ready before the first write.
seq = seq + 1
if state ~= '' then ver = ver + 1 end
if due == 'keep' then
  due = stored_due
else
  -- The turn came round, or another turns the coming card: how long somebody idles is counted from here.
  since = whole(now)
  if due ~= '-' then due = whole(now + tonumber(due)) end
end
if said ~= '' then
  local at = '"at":' .. whole(now)
  events = events:gsub('"at":null', at)
  said = said:gsub('"at":null', at)
end
local taken_back
if unsaid ~= '' then
  for _, line in ipairs(said_lines()) do
    if tostring(cjson.decode(line).id) == unsaid then taken_back = line end
  end
end
local mark = redis.sha1hex(previous .. events):sub(1, 16)
local frame = '{"epoch":"' .. epoch .. '","seq":' .. whole(seq) .. ',"mark":"' .. mark .. '","at":' .. whole(now)
  .. ',"events":' .. events .. '}'
local fields = {'seq', whole(seq), 'ver', whole(ver), 'mark', mark, 'due', due, 'since', since}
if state ~= '' then
  fields[#fields + 1] = 'state'
  fields[#fields + 1] = state
end
if named then
  fields[#fields + 1] = 'c:' .. guest
  fields[#fields + 1] = with_done(remembered, cmd, seq, answer)
end
-- How long the keys live is written anew once in a sixty-fourth of it, and when one of them may be new.
local until_when = now + tonumber(ttl)
local renewed = said ~= '' or receipt ~= '' or until_when - tonumber(stored[8] or 0) >= ttl / 64
if renewed then
  fields[#fields + 1] = 'until'
  fields[#fields + 1] = whole(until_when)
end
local message = cmsgpack.pack(
  {seq, ver, previous, mark, now, due, worker, state ~= '' and state or false, frame, since})

redis.call('HSET', table_key, unpack(fields))
redis.call('RPUSH', batches_key, previous .. mark .. frame)
redis.call('LTRIM', batches_key, -128, -1)
if taken_back then redis.call('LREM', said_key, 1, taken_back) end
if said ~= '' then
  redis.call('RPUSH', said_key, said)
  redis.call('LTRIM', said_key, -50, -1)
end
if receipt ~= '' then
  redis.call('RPUSH', receipts_key, receipt)
  redis.call('LTRIM', receipts_key, -500, -1)
end
if renewed then
  for _, key in ipairs(KEYS) do redis.call('PEXPIRE', key, ttl) end
end
redis.call('SPUBLISH', table_key, message)
for i = FREED, #ARGV do forget_presence(ARGV[i]) end
return {'ok', now, seq, ver, previous, mark, due, frame, since}
