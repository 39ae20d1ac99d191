import { dayOf } from './calendar.ts'
import type { DevClient } from './client.ts'

/** A block is mined at least this often, so that the last block's time is near the clock's. */
const LONGEST_PAUSE_SECONDS = 3_600

export interface BlockTimer {
  stop(): void
}

export interface BlockTimerOptions {
  /** How often the chain's clock is checked. */
  readonly intervalMs?: number
  readonly onError?: (error: unknown) => void
}

/**
 * Mines a block whenever the chain's clock is an hour after the last block, or has passed midnight UTC. Contracts read the time of
 * the last block, so without a new one they would still be in yesterday.
 */
export function startBlockTimer(client: DevClient, options: BlockTimerOptions = {}): BlockTimer {
  const { intervalMs = 1_000, onError = () => {} } = options
  let isBusy = false
  const mineOrReport = async () => {
    if (isBusy) return
    isBusy = true
    try {
      await mineIfOverdue(client)
    } catch (error) {
      onError(error)
    } finally {
      isBusy = false
    }
  }
  const timer = setInterval(mineOrReport, intervalMs)
  // This timer alone must not keep the process alive.
  timer.unref()
  return { stop: () => clearInterval(timer) }
}

/** Mines a block if one is overdue. Returns whether it did. */
export async function mineIfOverdue(client: DevClient): Promise<boolean> {
  // The pending block has the clock's time, including all moves.
  const [last, pending] = await Promise.all([
    client.getBlock({ blockTag: 'latest', includeTransactions: false }),
    client.getBlock({ blockTag: 'pending', includeTransactions: false }),
  ])
  const lastBlock = Number(last.timestamp)
  const now = Number(pending.timestamp)
  if (now - lastBlock < LONGEST_PAUSE_SECONDS && dayOf(now) === dayOf(lastBlock)) return false
  await client.mine({ blocks: 1 })
  return true
}
