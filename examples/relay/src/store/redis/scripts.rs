//! The Lua scripts that change a run.
//!
//! `KEYS` are the run's hash, its stream, and the hash of open runs. `ARGV` begins with the name of
//! the run, the name of the relay, the time to live of an open run, and the time to live of an
//! ended run, in milliseconds.

/// The channel on which changes are published. A message is `1` if the run was closed, otherwise
/// `0`, followed by the name of the run.
pub(super) const CHANNEL: &str = "relay:changes";

/// Creates a run with the owner `ARGV[5]`. Returns 0 if the run exists.
pub(super) const CREATE: &str = "
if redis.call('EXISTS', KEYS[1]) == 1 then return 0 end
redis.call('HSET', KEYS[1], 'owner', ARGV[5], 'open', 1, 'ended', 0)
redis.call('PEXPIRE', KEYS[1], ARGV[3])
redis.call('HSET', KEYS[3], ARGV[1], ARGV[2])
return 1";

/// Adds the event `ARGV[5]` at the position `ARGV[7]`, unless it is there. The event is an end if
/// `ARGV[6]` is 1. Returns 0 if the run is closed or does not exist, or earlier events are missing.
pub(super) const APPEND: &str = "
if redis.call('HGET', KEYS[1], 'open') ~= '1' then return 0 end
local length = redis.call('XLEN', KEYS[2])
local position = tonumber(ARGV[7])
if position < length then return 1 end
if position > length then return 0 end
redis.call('XADD', KEYS[2], (length + 1) .. '-0', 'data', ARGV[5])
if length == 0 then redis.call('PEXPIRE', KEYS[2], ARGV[3]) end
redis.call('HSET', KEYS[1], 'ended', ARGV[6])
redis.call('PUBLISH', 'relay:changes', '0' .. ARGV[1])
return 1";

/// Closes a run, and adds the error `ARGV[5]` unless its last event is an end. Returns 0 if the run
/// is closed or does not exist.
pub(super) const CLOSE: &str = "
redis.call('HDEL', KEYS[3], ARGV[1])
if redis.call('HGET', KEYS[1], 'open') ~= '1' then return 0 end
if redis.call('HGET', KEYS[1], 'ended') ~= '1' then
  redis.call('XADD', KEYS[2], (redis.call('XLEN', KEYS[2]) + 1) .. '-0', 'data', ARGV[5])
end
redis.call('HSET', KEYS[1], 'open', 0, 'ended', 1)
redis.call('PEXPIRE', KEYS[1], ARGV[4])
redis.call('PEXPIRE', KEYS[2], ARGV[4])
redis.call('PUBLISH', 'relay:changes', '1' .. ARGV[1])
return 1";

/// Removes a run and its events.
pub(super) const REMOVE: &str = "
redis.call('DEL', KEYS[1], KEYS[2])
redis.call('HDEL', KEYS[3], ARGV[1])
redis.call('PUBLISH', 'relay:changes', '0' .. ARGV[1])
return 1";

/// Returns the fields `open` and `ended` of a run, the number of its events, and its events from
/// the position `ARGV[5]` on: at most `ARGV[6]` of them, and at most `ARGV[7]` bytes unless the
/// first one is larger. Returns nothing if the run does not exist.
pub(super) const PAGE: &str = "
local run = redis.call('HMGET', KEYS[1], 'open', 'ended')
if not run[1] then return {} end
local length = redis.call('XLEN', KEYS[2])
local page = {run[1], run[2], tostring(length)}
local from, bytes = tonumber(ARGV[5]), 0
for position = from, math.min(length, from + ARGV[6]) - 1 do
  local id = (position + 1) .. '-0'
  local event = redis.call('XRANGE', KEYS[2], id, id)[1][2][2]
  bytes = bytes + #event
  if bytes > tonumber(ARGV[7]) and position > from then break end
  page[#page + 1] = event
end
return page";
