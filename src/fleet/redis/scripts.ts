/** Scripts that Redis runs, each whole or not at all. A script has its keys first, then its arguments. */

// KEYS lease stream · ARGV token heartbeat leaseMs after
export const lookScript = `
local lease = redis.call('GET', KEYS[1])
if not lease then
  lease = ARGV[1] .. ARGV[2]
  redis.call('SET', KEYS[1], lease, 'NX', 'PX', ARGV[3])
end
local newest = redis.call('XREVRANGE', KEYS[2], '+', '-', 'COUNT', 1)
local last = newest[1] and newest[1][1] or ''
if ARGV[4] == '' then return {lease, last, {}} end
return {lease, last, redis.call('XRANGE', KEYS[2], '(' .. ARGV[4], '+')}`;

// KEYS lease stream · ARGV token heartbeat leaseMs entry entries streamMs channel
export const renewScript = `
local lease = redis.call('GET', KEYS[1])
if not lease or string.sub(lease, 1, #ARGV[1]) ~= ARGV[1] then return 0 end
if ARGV[4] ~= '' then
  redis.call('XADD', KEYS[2], 'MAXLEN', ARGV[5], '*', 'e', ARGV[4])
  redis.call('PEXPIRE', KEYS[2], ARGV[6])
end
redis.call('SET', KEYS[1], ARGV[1] .. ARGV[2], 'PX', ARGV[3])
if ARGV[4] ~= '' then redis.call('PUBLISH', ARGV[7], '') end
return 1`;

// KEYS lease · ARGV token channel
export const releaseScript = `
local lease = redis.call('GET', KEYS[1])
if not lease or string.sub(lease, 1, #ARGV[1]) ~= ARGV[1] then return 0 end
redis.call('DEL', KEYS[1])
redis.call('PUBLISH', ARGV[2], '')
return 1`;

// KEYS reports · ARGV name sealed keepMs most
export const putReportScript = `
if redis.call('HEXISTS', KEYS[1], ARGV[1]) == 0 and redis.call('HLEN', KEYS[1]) >= tonumber(ARGV[4]) then
  redis.call('DEL', KEYS[1])
end
redis.call('HSET', KEYS[1], ARGV[1], ARGV[2])
redis.call('PEXPIRE', KEYS[1], ARGV[3])
return 1`;

// KEYS reports · ARGV beginning
export const dropReportsScript = `
for _, name in ipairs(redis.call('HKEYS', KEYS[1])) do
  if string.sub(name, 1, #ARGV[1]) == ARGV[1] then redis.call('HDEL', KEYS[1], name) end
end
return 1`;

// KEYS times notices · ARGV name notice keepMs most channel message
export const keepNoticeScript = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local function forget(names)
  for _, name in ipairs(names) do
    redis.call('ZREM', KEYS[1], name)
    redis.call('HDEL', KEYS[2], name)
  end
end
forget(redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', now, 'LIMIT', 0, 100))
if redis.call('ZCARD', KEYS[1]) >= tonumber(ARGV[4]) then forget(redis.call('ZRANGE', KEYS[1], 0, 0)) end
redis.call('ZADD', KEYS[1], 'GT', now + ARGV[3], ARGV[1])
redis.call('HSET', KEYS[2], ARGV[1], ARGV[2])
for _, key in ipairs(KEYS) do
  if redis.call('PTTL', key) < tonumber(ARGV[3]) then redis.call('PEXPIRE', key, ARGV[3]) end
end
redis.call('PUBLISH', ARGV[5], ARGV[6])
return 1`;
