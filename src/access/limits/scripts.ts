import { createHash } from 'node:crypto'

/** A script as Redis knows it: by its text, or by the hash of a text that it has seen. */
export interface Script {
  readonly source: string
  readonly sha: string
}

function script(source: string): Script {
  return { source, sha: createHash('sha1').update(source).digest('hex') }
}

// A window's key holds the times of its admissions, oldest first: eight bytes each, so that one read and one write
// do where a list would take four commands. A day's key holds one number, the UTC day times 10^10 plus the count, so
// that INCR counts and keeps the expiry. Times are whole microseconds.
const SHARED = `
local DAY, COUNTS = 86400000000, 10000000000
local function counted(key)
  local value = tonumber(redis.call('GET', key) or '0')
  local day = math.floor(value / COUNTS)
  return day, value - day * COUNTS
end
`

/**
 * Takes one unit of every key, or none, by Redis' own clock.
 *
 * KEYS: a bucket each. ARGV: '1' to count whatever the limits say, then for each key its window in microseconds
 * (0: the UTC day) and its limit. Answers {admitted, now, then for each key used and the microseconds until one
 * unit more is free}. Every key expires once it counts nothing any more.
 *
 * A clock that goes back makes callers wait longer, and never opens a window or a day anew.
 */
export const TAKE = script(`${SHARED}
local clock = redis.call('TIME')
local now = clock[1] * 1000000 + clock[2]
local today, stamp = math.floor(now / DAY), struct.pack('>d', now)
local admitted, windows, limits, used, logs, days = true, {}, {}, {}, {}, {}
for i, key in ipairs(KEYS) do
  local window, limit = tonumber(ARGV[2 * i]), tonumber(ARGV[2 * i + 1])
  if window == 0 then
    local day, count = counted(key)
    if day < today then day, count = today, 0 end
    days[i], used[i] = day, count
  else
    local log, first = redis.call('GET', key) or '', 1
    while first <= #log and struct.unpack('>d', log, first) <= now - window do first = first + 8 end
    if first > 1 then log = string.sub(log, first) end
    logs[i], used[i] = log, #log / 8
  end
  if used[i] >= limit then admitted = false end
  windows[i], limits[i] = window, limit
end
if ARGV[1] == '1' then admitted = true end
local reply = {admitted and 1 or 0, now}
for i, key in ipairs(KEYS) do
  local frees = 0
  if windows[i] > 0 then
    if admitted then
      logs[i] = logs[i] .. stamp
      redis.call('SET', key, logs[i], 'PX', math.ceil(windows[i] / 1000) + 1)
      used[i] = used[i] + 1
    end
    -- Where limits were lowered, more than the oldest have to go.
    local leaving = math.max(0, used[i] - limits[i]) * 8 + 1
    if used[i] > 0 then frees = struct.unpack('>d', logs[i], leaving) + windows[i] - now end
  else
    if admitted and used[i] > 0 then
      redis.call('INCR', key)
    elseif admitted then
      redis.call('SET', key, string.format('%.0f', days[i] * COUNTS + 1))
      redis.call('EXPIREAT', key, (days[i] + 1) * 86400 + 1)
    end
    if admitted then used[i] = used[i] + 1 end
    frees = (days[i] + 1) * DAY - now
  end
  reply[2 * i + 1], reply[2 * i + 2] = used[i], frees
end
return reply
`)

/**
 * Takes back the units of one decision.
 *
 * KEYS: the buckets. ARGV: the time of the decision, then for each key its window in microseconds (0: the day).
 */
export const GIVE_BACK = script(`${SHARED}
local taken = tonumber(ARGV[1])
for i, key in ipairs(KEYS) do
  if tonumber(ARGV[i + 1]) > 0 then
    local log = redis.call('GET', key) or ''
    for place = #log - 7, 1, -8 do
      if struct.unpack('>d', log, place) == taken then
        local left = string.sub(log, 1, place - 1) .. string.sub(log, place + 8)
        redis.call('SET', key, left, 'PX', math.max(1, redis.call('PTTL', key)))
        break
      end
    end
  else
    local day, count = counted(key)
    if count > 0 and day == math.floor(taken / DAY) then redis.call('DECR', key) end
  end
end
return 0
`)
