import { OwnWrites } from '@remit/client/request/freshCaller'
import { recall, remember } from './stored.ts'

/** How long later pages ask for such a block: the service is behind a wallet's node by seconds. */
const KEPT_MS = 20_000

/**
 * The blocks of what this browser has had sent, for the page that follows as well: after a reload, or on the next page,
 * nobody is offered to sign again what is done.
 */
export class KeptWrites extends OwnWrites {
  /** @param chainId the chain of which it takes over what earlier pages have noted */
  constructor(chainId: number | undefined) {
    super()
    if (chainId === undefined) return
    const [blockNumber = 0, atMs = 0] = (recall(keyOf(chainId)) ?? '').split(' ').map(Number)
    const isRecent = Math.abs(Date.now() - atMs) < KEPT_MS
    if (isRecent && Number.isSafeInteger(blockNumber)) super.note(chainId, blockNumber)
  }

  override note(chainId: number, blockNumber: number): void {
    super.note(chainId, blockNumber)
    remember(keyOf(chainId), `${this.minBlock(chainId)} ${Date.now()}`)
  }
}

const keyOf = (chainId: number) => `remit:own-block:${chainId}`
