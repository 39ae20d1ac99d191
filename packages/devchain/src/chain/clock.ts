import { dayOf } from './calendar.ts'
import type { DevClient } from './client.ts'

/** A block is mined at least this often, so that the last block's time is near the clock's. */
const LONGEST_PAUSE_SECONDS = 3_600

export interface Clock {
  stop(): void
}

export interface ClockOptions {
  /** How often the clock is checked. */
  readonly intervalMs?: number
  readonly onError?: (error: unknown) => void
}

/**
 * Mines a block when the clock is an hour after the last block, or has passed midnight UTC. Contracts read the time of
 * the last block, so without a new one they would still be in yesterday.
 */
export function startClock(client: DevClient, options: ClockOptions = {}): Clock {
  const { intervalMs = 1_000, onError = () => {} } = options
  let busy = false
  const look = async () => {
    if (busy) return
    busy = true
    try {
      await tick(client)
    } catch (error) {
      onError(error)
    } finally {
      busy = false
    }
  }
  const timer = setInterval(look, intervalMs)
  // This timer alone must not keep the process alive.
  timer.unref()
  return { stop: () => clearInterval(timer) }
}

/** Mines a block if one is overdue. Returns whether it did. */
export async function tick(client: DevClient): Promise<boolean> {
  // The pending block has the clock's time, including all moves.
  const [last, pending] = await Promise.all([
    client.getBlock({ blockTag: 'latest', includeTransactions: false }),
    client.getBlock({ blockTag: 'pending', includeTransactions: false }),
  ])
  const from = Number(last.timestamp)
  const to = Number(pending.timestamp)
  if (to - from < LONGEST_PAUSE_SECONDS && dayOf(to) === dayOf(from)) return false
  await client.mine({ blocks: 1 })
  return true
}
