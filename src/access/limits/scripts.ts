import { createHash } from 'node:crypto'

/** A script for Redis. Redis runs it by its hash once it has seen the text. */
export interface Script {
  readonly source: string
  readonly sha: string
}

function script(source: string): Script {
  return { source, sha: createHash('sha1').update(source).digest('hex') }
}

// All counts of an identity are in one Redis hash, because the number of commands decides how long a script takes. The
// field of a window holds the times of its admissions, oldest first. The field of a day holds one number: the UTC day
// times 10^10 plus the count. Numbers are doubles of eight bytes, times are whole microseconds. A log in a field is read and
// written whole, which takes some 20 µs for each thousand admissions. So a longer one is a list of its own, and its field
// says so. There, the admission of one request and the expiry of another take a few microseconds, however long it is.

/** What takes a window's admissions from their field or list. */
const LOGS = `
local IN_LIST, MOST_IN_FIELD = '*', 512 * 8
local function listOf(bucket) return KEYS[1] .. ':' .. bucket end

-- Drops the oldest until one is younger, and returns that. Batches grow, because after a burst many expire at once.
local function dropFromList(list, past)
  local batch = 2
  while true do
    local times = redis.call('LRANGE', list, 0, batch - 1)
    local gone = 0
    while times[gone + 1] and struct.unpack('>d', times[gone + 1]) <= past do gone = gone + 1 end
    if gone > 0 then redis.call('LTRIM', list, gone, -1) end
    if gone < batch then return times[gone + 1] end
    batch = math.min(2 * batch, 1024)
  end
end

local function append(list, log)
  local times = {}
  for place = 1, #log, 8 do times[#times + 1] = string.sub(log, place, place + 7) end
  redis.call('RPUSH', list, unpack(times))
end
`

/**
 * Decides requests one after the other, by Redis' own clock. Each takes one unit of every bucket, or none.
 *
 * KEYS: the identity's key. ARGV: '1' to count without refusing, '2' to read only; a JSON array with the window in
 * microseconds (0: the UTC day; an hour at most) and the limit of each bucket; how many requests; then the names of the
 * buckets. Answers doubles: the time; then for each request admitted (1 or 0), and for each bucket the units used and the
 * microseconds until one more is free. A key expires an hour after its last UTC day.
 *
 * Where the clock goes back, callers wait longer. Windows and days are never reset by it.
 */
export const TAKE = script(`${LOGS}
local DAY, COUNTS, EXPIRY = 86400000000, 10000000000, 3600
local clock = redis.call('TIME')
local now = clock[1] * 1000000 + clock[2]
local today = math.floor(now / DAY)

local rule, terms = ARGV[1], cjson.decode(ARGV[2])
local held = redis.call('HMGET', KEYS[1], unpack(ARGV, 4))

local extended, lastDay = false, today
local used, days, lists, oldest, before = {}, {}, {}, {}, {}
for i = 1, #held do
  local window, log = terms[2 * i - 1], held[i] or ''
  if window == 0 then
    local value = log == '' and 0 or struct.unpack('>d', log)
    local day = math.floor(value / COUNTS)
    if day < today then
      extended, days[i], used[i] = true, today, 0
    else
      days[i], used[i] = day, value - day * COUNTS
      lastDay = math.max(lastDay, day)
    end
  else
    if log == IN_LIST then
      local list = listOf(ARGV[i + 3])
      oldest[i], used[i] = dropFromList(list, now - window), redis.call('LLEN', list)
      if used[i] > 0 then lists[i] = list else held[i] = '' end
    else
      local first = 1
      while first <= #log and struct.unpack('>d', log, first) <= now - window do first = first + 8 end
      if first > 1 then log = string.sub(log, first) end
      held[i], oldest[i], used[i] = log, log, #log / 8
    end
    -- Where neither holds, one of the admissions is of this day, and the expiry was set with it.
    if used[i] == 0 or now - window < today * DAY then extended = true end
  end
  before[i] = used[i]
end

-- When the admission at that place was made; those of this run are made now.
local function madeAt(i, place)
  if place >= before[i] then return now end
  if place == 0 then return struct.unpack('>d', oldest[i]) end
  return struct.unpack('>d', lists[i] and redis.call('LINDEX', lists[i], place) or string.sub(held[i], place * 8 + 1))
end

local function freesIn(i)
  if days[i] then return (days[i] + 1) * DAY - now end
  if used[i] == 0 then return 0 end
  -- After limits were lowered, more than the oldest admission must expire first.
  return madeAt(i, math.max(0, used[i] - terms[2 * i])) + terms[2 * i - 1] - now
end

local reply, taken = {now}, 0
for _ = 1, tonumber(ARGV[3]) do
  local admitted = rule ~= '2'
  for i = 1, #held do
    if rule == '0' and used[i] >= terms[2 * i] then admitted = false end
  end
  if admitted then taken = taken + 1 end
  reply[#reply + 1] = admitted and 1 or 0
  for i = 1, #held do
    if admitted then used[i] = used[i] + 1 end
    reply[#reply + 1] = used[i]
    reply[#reply + 1] = freesIn(i)
  end
end

if taken > 0 then
  local stamps, writes = string.rep(struct.pack('>d', now), taken), {}
  for i = 1, #held do
    if days[i] then
      held[i] = struct.pack('>d', days[i] * COUNTS + used[i])
    elseif lists[i] then
      append(lists[i], stamps)
    else
      held[i] = held[i] .. stamps
      if #held[i] > MOST_IN_FIELD then
        lists[i] = listOf(ARGV[i + 3])
        append(lists[i], held[i])
        held[i] = IN_LIST
      end
    end
    if lists[i] then redis.call('PEXPIRE', lists[i], math.ceil(terms[2 * i - 1] / 1000) + 1000) end
    writes[2 * i - 1], writes[2 * i] = ARGV[i + 3], held[i]
  end
  redis.call('HSET', KEYS[1], unpack(writes))
  if extended then redis.call('EXPIREAT', KEYS[1], (lastDay + 1) * 86400 + EXPIRY) end
end
return struct.pack('>' .. string.rep('d', #reply), unpack(reply))
`)

/**
 * Gives back the units of one decision.
 *
 * KEYS: the identity's. ARGV: the time of the decision, then for each bucket its name and its window in
 * microseconds (0: the UTC day).
 */
export const GIVE_BACK = script(`${LOGS}
local DAY, COUNTS = 86400000000, 10000000000
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
return ''
`)
