import { dayOf } from './calendar.ts'
import type { DevClient } from './client.ts'

/** A block at least this often keeps the chain's time near that of its clock. */
const LONGEST_PAUSE_SECONDS = 3_600

export interface Clock {
  stop(): void
}

export interface ClockOptions {
  /** How often it looks. */
  readonly intervalMs?: number
  readonly onError?: (error: unknown) => void
}

/**
 * Mines a block when the chain's clock has moved on by an hour since the last one, or has passed midnight UTC:
 * contracts read the time of the last block, and without one today would still be yesterday.
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
  // Alone it is no reason for a process to go on.
  timer.unref()
  return { stop: () => clearInterval(timer) }
}

/** Mines a block where one is overdue, and says whether it did. */
export async function tick(client: DevClient): Promise<boolean> {
  // The pending block's time is that of the clock, with whatever it was moved by.
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
