#!lua flags=allow-oom
-- Drop the presence that was taken for a seat which then was not to be had, only under its own generation.
local guest, generation = unpack(ARGV)
local presence = read_presence(guest)
if presence and presence.generation == tonumber(generation) then forget_presence(guest) end
return 1
