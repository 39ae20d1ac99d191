/**
 * Remembers which signatures were shown, so that each lets in once. Several replicas need one that they share: in Redis,
 * `SET key 1 NX PXAT untilMs` answers OK the first time.
 */
export interface UsedSignatures {
  /**
   * Notes the key, in one step for all replicas, and tells whether it is new.
   * @param untilMs unix milliseconds from which it may be forgotten: the signature has expired
   */
  claim(key: string, untilMs: number): boolean | Promise<boolean>
}

/**
 * Remembers in this process. Past its size it throws, so that the gate answers 503: to forget a signature that still
 * holds would let it in again.
 *
 * @param most signatures that are remembered at once; default 100,000
 * @param now unix milliseconds; default: the clock of this machine
 */
export function usedSignaturesInMemory({ most = 100_000, now = Date.now } = {}): UsedSignatures {
  const until = new Map<string, number>()
  return {
    claim(key, untilMs) {
      if (until.has(key)) return false
      if (until.size >= most) {
        for (const [used, usedUntilMs] of until) if (usedUntilMs <= now()) until.delete(used)
        if (until.size >= most)
          throw new Error(`${most} signatures are remembered that still hold: no more fit.`)
      }
      until.set(key, untilMs)
      return true
    },
  }
}
