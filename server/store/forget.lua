#!lua flags=allow-oom
-- Drop the presence of a guest whose seat was freed; a worker where they still are counts them as a watcher.
if redis.call('HDEL', presence_key, ARGV[1]) == 1 then say_watching(ARGV[1]) end
return 1
