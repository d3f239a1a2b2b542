#!lua flags=allow-oom
-- Delete a table and all of it, and tell every worker, also in a full store.
redis.call('DEL', unpack(KEYS))
redis.call('SPUBLISH', table_key, cmsgpack.pack({'deleted'}))
return 1
