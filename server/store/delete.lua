#!lua flags=allow-oom
-- Delete a table and all of it, and tell every worker, also in a full store; 0 if it is at another version.
local ver = redis.call('HGET', table_key, 'ver')
if ver and ARGV[1] ~= '' and ver ~= ARGV[1] then return 0 end
redis.call('DEL', unpack(KEYS))
redis.call('SPUBLISH', table_key, cmsgpack.pack({'deleted'}))
return 1
