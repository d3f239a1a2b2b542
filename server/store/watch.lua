#!lua flags=allow-oom
-- Count these watchers from now on, or still; one who is seated is none. Answers how many watch.
-- May run in a full store, as a beat: it writes over what is there.
if redis.call('EXISTS', table_key) == 0 then return 0 end
if forget_watchers() + count_anew(1) > 0 then say_watching('') end
bound_life()
return count_watchers()
