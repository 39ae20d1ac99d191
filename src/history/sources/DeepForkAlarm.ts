import type { BlockRef } from '../../core/history.ts'
import type { IndexTip } from '../source.ts'

/** Rings from a reorganisation of final blocks until all that it took away was read again. */
export class DeepForkAlarm {
  readonly #chainId: number
  #ringing: { readonly sentence: string; readonly until: number } | undefined

  constructor(chainId: number) {
    this.#chainId = chainId
  }

  get sentence(): string | null {
    return this.#ringing?.sentence ?? null
  }

  raise(ancestor: BlockRef, { block, finalizedBlock }: Pick<IndexTip, 'block' | 'finalizedBlock'>): void {
    const sentence =
      `Chain ${this.#chainId} was reorganised from block ${ancestor.number + 1} on, below block ${finalizedBlock} ` +
      'that counted as final: what was read of the lost blocks is gone, and the new ones are being read.'
    this.#ringing = { sentence, until: Math.max(block.number, this.#ringing?.until ?? 0) }
  }

  /** The index stands at `block` of a chain with this head. */
  seen(block: BlockRef, head: BlockRef): void {
    if (this.#ringing === undefined) return
    if (block.hash === head.hash || block.number >= this.#ringing.until) this.#ringing = undefined
  }
}
