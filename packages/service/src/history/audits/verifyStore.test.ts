import type { Hex } from 'viem'
import { describe, expect, it, vi } from 'vitest'
import { StoreError } from '../../store/StoreError.ts'
import type { IndexState, ProjectionReader } from '../projection.ts'
import { verifyStore } from './verifyStore.ts'

const ZEROS: Hex = `0x${'00'.repeat(32)}`
const OTHERS: Hex = `0x${'11'.repeat(32)}`
const identity = { chainId: 1, contract: ZEROS, firstBlock: 0 }
const indexState: IndexState = {
  block: { number: 1, hash: ZEROS, parentHash: ZEROS, timestamp: 0 },
  finalizedBlock: 0,
  alarm: null,
  source: 'rpc',
  approvalsReadTo: null,
  providersChecked: 0,
}

/** A store of the chain whose genesis block is all zeros. */
function storeWith(known: IndexState | undefined): Pick<ProjectionReader, 'indexState' | 'verify'> {
  return {
    indexState: async () => known,
    async verify({ genesisHash = ZEROS, contract = ZEROS }) {
      if (genesisHash !== ZEROS || contract !== ZEROS) throw new StoreError('The store holds another chain.')
    },
  }
}

function verify(genesisHash: () => Promise<Hex>, options: { known?: boolean; contract?: Hex } = {}) {
  const { known = true, contract = ZEROS } = options
  const stopped = new AbortController()
  const told: string[] = []
  const verified = verifyStore({
    projection: storeWith(known ? indexState : undefined),
    identity: { ...identity, contract },
    nodes: { genesisHash },
    signal: stopped.signal,
    failedLater: (error) => told.push(error.message),
  })
  return { verified, told, stop: () => stopped.abort() }
}

describe('the store at the start', () => {
  it('may hold this chain', async () => {
    await verify(async () => ZEROS).verified
  })

  it('must not hold another genesis block', async () => {
    await expect(verify(async () => OTHERS).verified).rejects.toThrow('another chain')
  })

  it('must not hold another contract, whether the chain answers or not', async () => {
    const silent = () => new Promise<Hex>(() => {})
    await expect(verify(silent, { contract: OTHERS }).verified).rejects.toThrow('another chain')
  })

  it('does not wait for a chain of which it holds nothing', async () => {
    const genesisHash = vi.fn(() => new Promise<Hex>(() => {}))
    await verify(genesisHash, { known: false }).verified
    expect(genesisHash).not.toHaveBeenCalled()
  })

  it('is used while the chain does not answer, and reported when that turns out to be another chain', async () => {
    let isAway = true
    const genesisHash = async () => {
      if (isAway) throw new Error('no answer')
      return OTHERS
    }
    const { verified, told, stop } = verify(genesisHash)
    await verified
    expect(told).toEqual([])
    isAway = false
    for (let attempt = 0; attempt < 500 && told.length === 0; attempt += 1) {
      await new Promise((resolve) => setTimeout(resolve, 10))
    }
    expect(told).toEqual(['The store holds another chain.'])
    stop()
  })
})
