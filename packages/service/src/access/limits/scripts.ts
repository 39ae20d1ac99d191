// Scripts for Redis. All counts of an identity are in one Redis hash, because the number of commands decides how long a
// script takes. The field of a window holds the times of its admissions, oldest first. The field of a day holds one number:
// the UTC day times 10^10 plus the count. Numbers are doubles of eight bytes, times are whole microseconds. A log in a field
// is read and written whole, which takes some 20 µs for each thousand admissions. So a longer one is a list of its own, and
// its field says so. There, the admission of one request and the expiry of another take a few microseconds, however long it is.

const LISTS = `
local DAY, COUNTS, IN_LIST = 86400000000, 10000000000, '*'
local function listOf(bucket) return KEYS[1] .. ':' .. bucket end
`

/**
 * Decides a request by Redis' own clock: takes one unit of every bucket, or none.
 *
 * KEYS: the identity's key. ARGV: the rule; a JSON array with the window in microseconds (0: the UTC day; an hour at most) and
 * the limit of each bucket; then the names of the buckets. Answers doubles: 1 where it is admitted, else 0; the time in
 * microseconds; then for each bucket the units used and the microseconds until one more is free. A key expires an hour after
 * its last UTC day.
 *
 * Where the clock goes back, callers wait longer. Windows and days are never reset by it.
 */
export const TAKE = `${LISTS}
local MOST_IN_FIELD, EXPIRY = 512 * 8, 3600
local clock = redis.call('TIME')
local now = clock[1] * 1000000 + clock[2]
local today = math.floor(now / DAY)

-- Batches grow, because after a burst many expire at once.
local function dropFromList(list, past)
  local batch, gone = 2
  repeat
    local times = redis.call('LRANGE', list, 0, batch - 1)
    gone = 0
    while times[gone + 1] and struct.unpack('>d', times[gone + 1]) <= past do gone = gone + 1 end
    if gone > 0 then redis.call('LTRIM', list, gone, -1) end
    local isWhole = gone == batch
    batch = math.min(2 * batch, 1024)
  until not isWhole
end

local function append(list, log)
  local times = {}
  for place = 1, #log, 8 do times[#times + 1] = string.sub(log, place, place + 7) end
  redis.call('RPUSH', list, unpack(times))
end

local rule, terms = ARGV[1], cjson.decode(ARGV[2])
local held = redis.call('HMGET', KEYS[1], unpack(ARGV, 3))
local admitted, lastDay = rule ~= 'never', today
local windows, limits, used, days, lists = {}, {}, {}, {}, {}
for i = 1, #held do
  windows[i], limits[i] = terms[2 * i - 1], terms[2 * i]
  local log, past = held[i] or '', now - windows[i]
  if windows[i] == 0 then
    local value = log == '' and 0 or struct.unpack('>d', log)
    days[i] = math.max(today, math.floor(value / COUNTS))
    used[i] = math.max(0, value - days[i] * COUNTS)
    lastDay = math.max(lastDay, days[i])
  elseif log == IN_LIST then
    lists[i] = listOf(ARGV[2 + i])
    dropFromList(lists[i], past)
    used[i] = redis.call('LLEN', lists[i])
    if used[i] == 0 then lists[i], held[i] = nil, '' end
  else
    local first = 1
    while first <= #log and struct.unpack('>d', log, first) <= past do first = first + 8 end
    held[i] = string.sub(log, first)
    used[i] = #held[i] / 8
  end
  if rule == 'all-or-nothing' and used[i] >= limits[i] then admitted = false end
end

if admitted then
  local stamp, writes = struct.pack('>d', now), {}
  for i = 1, #held do
    used[i] = used[i] + 1
    if days[i] then
      held[i] = struct.pack('>d', days[i] * COUNTS + used[i])
    elseif lists[i] then
      append(lists[i], stamp)
    else
      held[i] = held[i] .. stamp
      if #held[i] > MOST_IN_FIELD then
        lists[i] = listOf(ARGV[2 + i])
        append(lists[i], held[i])
        held[i] = IN_LIST
      end
    end
    if lists[i] then redis.call('PEXPIRE', lists[i], math.ceil(windows[i] / 1000) + 1000) end
    writes[2 * i - 1], writes[2 * i] = ARGV[2 + i], held[i]
  end
  redis.call('HSET', KEYS[1], unpack(writes))
  redis.call('EXPIREAT', KEYS[1], (lastDay + 1) * 86400 + EXPIRY)
end

local reply = {admitted and 1 or 0, now}
for i = 1, #held do
  local frees = 0
  if days[i] then
    frees = (days[i] + 1) * DAY - now
  elseif used[i] > 0 then
    -- After limits were lowered, more than the oldest admission must expire first.
    local place = math.max(0, used[i] - limits[i])
    local time = lists[i] and redis.call('LINDEX', lists[i], place) or string.sub(held[i], place * 8 + 1)
    frees = struct.unpack('>d', time) + windows[i] - now
  end
  reply[2 * i + 1], reply[2 * i + 2] = used[i], frees
end
return struct.pack('>' .. string.rep('d', #reply), unpack(reply))
`

/**
 * Gives back the units of one decision.
 *
 * KEYS: the identity's. ARGV: the time of the decision, then for each bucket its name and its window in
 * microseconds (0: the UTC day).
 */
export const GIVE_BACK = `${LISTS}
local taken = tonumber(ARGV[1])
for i = 2, #ARGV, 2 do
  local log, left = redis.call('HGET', KEYS[1], ARGV[i]) or '', nil
  if log == IN_LIST then
    redis.call('LREM', listOf(ARGV[i]), -1, struct.pack('>d', taken))
  elseif tonumber(ARGV[i + 1]) > 0 then
    for place = #log - 7, 1, -8 do
      if struct.unpack('>d', log, place) == taken then
        left = string.sub(log, 1, place - 1) .. string.sub(log, place + 8)
        break
      end
    end
  elseif log ~= '' then
    local value = struct.unpack('>d', log)
    local day = math.floor(value / COUNTS)
    if day == math.floor(taken / DAY) and value > day * COUNTS then left = struct.pack('>d', value - 1) end
  end
  if left then redis.call('HSET', KEYS[1], ARGV[i], left) end
end
return 1
`
