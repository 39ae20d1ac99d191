import type { BlockRef } from '@remit/engine/ports/history'
import type { ChainNodes } from '@remit/engine/ports/nodes'
import type { EventSource } from '@remit/engine/ports/source'
import type { Hex } from 'viem'

export const CHAIN = 31337

export const hashOf = (number: number): Hex => `0x${(number + 1).toString(16).padStart(64, '0')}`
export function block(number: number): BlockRef {
  return { number, hash: hashOf(number), parentHash: hashOf(number - 1), timestamp: 1_000 + number }
}

/** A chain without events, whose source gives one block a step, and fails or hangs as a test wants. */
export function fakeChain(head: number) {
  const wakes = new Set<() => void>()
  const chain = {
    head,
    genesis: hashOf(0),
    alarm: null as string | null,
    fails: undefined as Error | undefined,
    /** What every reading waits for. */
    gate: Promise.resolve(),
    readings: 0,
    genesisReadings: 0,
    mine(to: number) {
      chain.head = to
      for (const wake of wakes) wake()
    },
  }
  const source: EventSource = {
    kind: 'rpc',
    origin: async () => block(0),
    async next(tip, signal) {
      chain.readings += 1
      await chain.gate
      // As an answer of a network does, it lets others come between.
      await new Promise(setImmediate)
      signal.throwIfAborted()
      if (chain.fails !== undefined) throw chain.fails
      const progress = { headNumber: chain.head, alarm: chain.alarm }
      const at = tip.block
      if (at.number >= chain.head) return { kind: 'idle', progress }
      const to = block(at.number + 1)
      return {
        kind: 'step',
        step: { ancestor: at, to, finalizedBlock: 0, events: [], blocks: [to] },
        progress,
      }
    },
    onNews(wake) {
      wakes.add(wake)
      return () => wakes.delete(wake)
    },
  }
  const genesisHash = async () => {
    chain.genesisReadings += 1
    return chain.genesis
  }
  const nodes: Partial<ChainNodes> = { chainId: CHAIN, genesisHash }
  // Safe: without creations, nothing else of a node is asked for.
  return { chain, source, nodes: nodes as ChainNodes }
}
