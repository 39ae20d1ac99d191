import type { EventLog } from '@remit/engine/ports/events'

/** The part of a chain's log from a time on. Found by halving, because the log is in the order of its blocks. */
export async function findSince(events: EventLog, chainId: number, since: number) {
  const state = await events.state(chainId)
  if (state === undefined) return undefined
  const { sequence: until_sequence } = state
  let [low, high] = [0, until_sequence]
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    const page = await events.read(chainId, { after: middle, first: 1, filters: {}, finality: 'seen' })
    const timestamp = page.events[0]?.block.timestamp
    if (timestamp === undefined || timestamp >= since) high = middle
    else low = middle + 1
  }
  return { chain_id: chainId, sequence: low, until_sequence }
}
