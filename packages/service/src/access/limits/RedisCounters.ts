import { within } from '@remit/engine/waiting/within'
import { Redis, type Result } from 'ioredis'
import { LRUCache } from 'lru-cache'
import {
  type Counters,
  CountersAwayError,
  type Decision,
  type Demand,
  type Rule,
  type Usage,
} from './counters.ts'

// Two scripts in Lua that Redis runs, each as one atomic step (TAKE admits and counts, GIVE_BACK undoes that), and the class that calls them.
//
// All counts of an identity are in one Redis hash, because the number of commands decides how long a script takes. Its fields are named
// by bucket. The field of a window (a minute) holds the times of its admissions, its "log", oldest first. The field of a day holds one
// number: the UTC day times 10^10 (COUNTS) plus the count. Numbers are doubles of eight bytes (`>d`), times are whole microseconds. A log
// in a field is read and written whole, which takes some 20 µs for each thousand admissions. So beyond 512 it is a Redis list of its own
// (`listOf`), and its field says so ('*'). There, to admit one request and to drop an expired one take a few microseconds, however long
// the list is.

const LISTS = `
local DAY, COUNTS, IN_LIST = 86400000000, 10000000000, '*'
local function listOf(bucket) return KEYS[1] .. ':' .. bucket end
`

/**
 * Decides a request by Redis' own clock: takes one unit of every bucket, or none (`Rule`: `all-or-nothing` takes none where a bucket is
 * spent, `always` takes even then, `never` only reads).
 *
 * KEYS: the identity's key. ARGV: the rule; a JSON array with the window in microseconds (0: the UTC day; an hour at most) and
 * the limit of each bucket; then the names of the buckets. Answers doubles: 1 where it is admitted, else 0; the time in
 * microseconds; then for each bucket the units used and the microseconds until one more is free. A key expires an hour after
 * its last UTC day.
 *
 * Where the clock goes back, callers wait longer. Windows and days are never reset by it.
 */
const TAKE = `${LISTS}
local MOST_IN_FIELD, EXPIRY = 512 * 8, 3600
local clock = redis.call('TIME')
local now = clock[1] * 1000000 + clock[2]
local today = math.floor(now / DAY)

-- Drops the admissions up to the time past. They are read in batches that grow, because after a burst many expire at once.
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
  for at = 1, #log, 8 do times[#times + 1] = string.sub(log, at, at + 7) end
  redis.call('RPUSH', list, unpack(times))
end

-- First, what of each bucket is used: held[i] becomes its field without what has expired. A day has days[i], a log in a list lists[i].
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

-- Then one unit of each is taken, unless a bucket is spent. A log that has grown too long moves to a list.
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
    local index = math.max(0, used[i] - limits[i])
    local time = lists[i] and redis.call('LINDEX', lists[i], index) or string.sub(held[i], index * 8 + 1)
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
const GIVE_BACK = `${LISTS}
local taken = tonumber(ARGV[1])
for i = 2, #ARGV, 2 do
  local log, rest = redis.call('HGET', KEYS[1], ARGV[i]) or '', nil
  if log == IN_LIST then
    redis.call('LREM', listOf(ARGV[i]), -1, struct.pack('>d', taken))
  elseif tonumber(ARGV[i + 1]) > 0 then
    for at = #log - 7, 1, -8 do
      if struct.unpack('>d', log, at) == taken then
        rest = string.sub(log, 1, at - 1) .. string.sub(log, at + 8)
        break
      end
    end
  elseif log ~= '' then
    local value = struct.unpack('>d', log)
    local day = math.floor(value / COUNTS)
    if day == math.floor(taken / DAY) and value > day * COUNTS then rest = struct.pack('>d', value - 1) end
  end
  if rest then redis.call('HSET', KEYS[1], ARGV[i], rest) end
end
return 1
`

declare module 'ioredis' {
  interface RedisCommander<Context> {
    takeUnitsBuffer(key: string, rule: Rule, ...demands: string[]): Result<unknown, Context>
    giveUnitsBack(key: string, atMicros: number, ...demands: (string | number)[]): Result<unknown, Context>
  }
}

/** Many times a round trip within one site. In an outage only the first requests wait for it. */
const TIMEOUT_MS = 500
/** A handshake takes two or three round trips, with TLS some more. */
const CONNECT_TIMEOUT_MS = 1_000
/** A connection on which Redis leaves a command without an answer for so long is replaced by another one. */
const SILENCE_MS = 2_000
/** How a server answers that takes no writes any more. Another one may have its address by now, so the connection is made anew. */
const DEMOTED = /^(READONLY|MASTERDOWN) /

/** The most spent buckets that are remembered. */
const MAX_REMEMBERED = 10_000
/** How far two clocks may drift apart within a minute. */
const DRIFT_MS = 100

/**
 * A spent bucket, and when it has a unit again, by this process's monotonic clock: not before `earliestMs`, surely at `latestMs`. The two
 * differ by the time that Redis' answer took, and by the drift of the clocks.
 */
interface Spent {
  readonly used: number
  readonly earliestMs: number
  readonly latestMs: number
}

/**
 * Counters in Redis, shared by all processes that use it.
 *
 * One script makes all decisions, one after the other, so nothing is admitted beyond a limit, however many processes ask. An
 * identity is one key, and one more for each bucket that it takes hundreds from; its hash tag keeps them in one slot of a
 * cluster. A Redis without an append-only file loses its counters when it restarts. Then all units are available again, the
 * daily ones too.
 *
 * It fails fast, with CountersAwayError: no command waits for a connection, none is sent twice, and each has half a second.
 */
export class RedisCounters implements Counters {
  readonly #redis: Redis
  readonly #args = new WeakMap<readonly Demand[], readonly string[]>()
  readonly #spent = new LRUCache<string, Spent>({ max: MAX_REMEMBERED })
  #lastError: unknown

  /** @param url may hold a password, so neither it nor any part of it may go to a log */
  constructor(url: string) {
    this.#redis = new Redis(url, {
      lazyConnect: true,
      // What comes in one turn of the event loop is written together: a write takes longer than making several commands.
      enableAutoPipelining: true,
      enableOfflineQueue: false,
      // A script that is sent again after a reconnect would take units twice.
      autoResendUnfulfilledCommands: false,
      maxRetriesPerRequest: 0,
      connectTimeout: CONNECT_TIMEOUT_MS,
      socketTimeout: SILENCE_MS,
      retryStrategy: (attempt) => Math.min(1_000, 50 * 2 ** Math.min(attempt, 5)),
      reconnectOnError: ({ message }) => DEMOTED.test(message),
      scripts: {
        takeUnits: { lua: TAKE, numberOfKeys: 1 },
        giveUnitsBack: { lua: GIVE_BACK, numberOfKeys: 1 },
      },
    })
    this.#redis.on('error', (error: unknown) => {
      this.#lastError = error
    })
    this.#redis.on('ready', () => {
      this.#lastError = undefined
    })
  }

  /** Resolves once connected. Throws CountersAwayError; reconnecting goes on in the background. */
  async connect(): Promise<void> {
    await this.#redis.connect().catch((error: unknown) => this.#fail(error))
  }

  async take(identity: string, demands: readonly Demand[], rule: Rule): Promise<Decision> {
    const sentAtMs = performance.now()
    const answer = await this.#inTime(
      this.#redis.takeUnitsBuffer(keyOf(identity), rule, ...this.#argsOf(demands)),
    )
    if (!Buffer.isBuffer(answer) || answer.length !== 8 * (2 + 2 * demands.length)) {
      throw new CountersAwayError('an answer of another shape')
    }
    const atMicros = answer.readDoubleBE(8)
    const usages = demands.map((_, index): Usage => {
      const offset = 16 + 16 * index
      return { used: answer.readDoubleBE(offset), freesInMs: answer.readDoubleBE(offset + 8) / 1000 }
    })
    this.#remember(identity, demands, usages, sentAtMs)
    return {
      admitted: answer.readDoubleBE(0) === 1,
      atMicros,
      usages,
      giveBack: (given) => this.#giveBack(identity, given, atMicros),
    }
  }

  /**
   * Known from this process's own decisions. The memory ends a little before the bucket has a unit again, so it never
   * refuses what Redis would admit. The wait that it names ends a little after.
   */
  spent(identity: string, { bucket }: Demand): Usage | undefined {
    const name = nameOf(identity, bucket)
    const remembered = this.#spent.get(name)
    if (remembered === undefined) return undefined
    const nowMs = performance.now()
    if (nowMs < remembered.earliestMs) {
      return { used: remembered.used, freesInMs: remembered.latestMs - nowMs }
    }
    this.#spent.delete(name)
    return undefined
  }

  /** Forgets which buckets are spent, because a restarted Redis has forgotten it too. */
  forget(): void {
    this.#spent.clear()
  }

  /** How much memory Redis uses; `maxBytes` is 0 where it has no limit. Throws CountersAwayError. */
  async memory(): Promise<{ usedBytes: number; maxBytes: number }> {
    const info = await this.#inTime(this.#redis.info('memory'))
    const [usedBytes, maxBytes] = ['used_memory', 'maxmemory'].map((field) => {
      return Number(new RegExp(`^${field}:(\\d+)\\s*$`, 'm').exec(info)?.[1])
    })
    if (!Number.isSafeInteger(usedBytes) || !Number.isSafeInteger(maxBytes)) {
      throw new CountersAwayError('an answer of another shape')
    }
    return { usedBytes: Number(usedBytes), maxBytes: Number(maxBytes) }
  }

  close(): void {
    this.#redis.disconnect()
  }

  /** Throws CountersAwayError: at once without a connection, and where no answer comes in time. */
  #inTime<T>(command: Promise<T>): Promise<T> {
    const late = () => new CountersAwayError('no answer in time')
    return within(TIMEOUT_MS, command, late).catch((error: unknown) => this.#fail(error))
  }

  /** Cached, because the few lists of demands of requests come again and again. */
  #argsOf(demands: readonly Demand[]): readonly string[] {
    const known = this.#args.get(demands)
    if (known !== undefined) return known
    const terms = demands.flatMap(({ windowMs, limit }) => [microsOf(windowMs), limit])
    const args = [JSON.stringify(terms), ...demands.map(({ bucket }) => bucket)]
    this.#args.set(demands, args)
    return args
  }

  /** Gives back the units that were taken at that time. Never throws: where Redis is away, they stay taken. */
  async #giveBack(identity: string, demands: readonly Demand[], atMicros: number): Promise<void> {
    const args = demands.flatMap(({ bucket, windowMs }) => [bucket, microsOf(windowMs)])
    try {
      await this.#inTime(this.#redis.giveUnitsBack(keyOf(identity), atMicros, ...args))
    } catch (error) {
      if (!(error instanceof CountersAwayError)) throw error
    }
    // Only now: a `take` that Redis decided before it gave the units back would otherwise note the bucket as spent once more.
    for (const { bucket } of demands) this.#spent.delete(nameOf(identity, bucket))
  }

  /** Remembers the buckets that this decision found or left spent. Not those of a day, which `spent` is never asked for. */
  #remember(identity: string, demands: readonly Demand[], usages: readonly Usage[], sentAtMs: number): void {
    for (const [index, { bucket, limit, windowMs }] of demands.entries()) {
      const usage = usages[index]
      if (usage === undefined || windowMs === 'day' || usage.used < limit) continue
      const { used, freesInMs } = usage
      this.#spent.set(nameOf(identity, bucket), {
        used,
        earliestMs: sentAtMs + freesInMs - DRIFT_MS,
        latestMs: performance.now() + freesInMs + DRIFT_MS,
      })
    }
  }

  /** The reason is an error's code, or the first word of Redis' answer. Messages and commands are not passed on. */
  #fail(error: unknown): never {
    if (error instanceof CountersAwayError) throw error
    throw new CountersAwayError(reasonOf(error) ?? reasonOf(this.#lastError) ?? 'connection lost')
  }
}

function reasonOf(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined
  const said = /^[A-Z]{3,20}(?= )/.exec(error.message)?.[0]
  return said ?? ('code' in error && typeof error.code === 'string' ? error.code : undefined)
}

function keyOf(identity: string): string {
  return `remit:{${identity}}`
}

function nameOf(identity: string, bucket: string): string {
  return `${identity} ${bucket}`
}

function microsOf(windowMs: Demand['windowMs']): number {
  return windowMs === 'day' ? 0 : windowMs * 1000
}
