import { RateLimitedError } from '../errors/access.ts'
import { BlockNotSeenError } from '../errors/upstream.ts'

/** What a call waits for before it tries again, and for how long. */
export type Wait =
  /** A limit of the caller's lane is used up. */
  | {
      readonly for: 'limit'
      readonly forMs: number
      /** Such as "writeRpm". */
      readonly bucket: string
      readonly lane: string
      readonly limit: number | undefined
    }
  /** The service has not seen a block yet, such as that of this client's last transaction. */
  | { readonly for: 'block'; readonly forMs: number; readonly minBlock: number | undefined }
  /** The service, or the chain behind it, did not answer. */
  | { readonly for: 'service'; readonly forMs: number; readonly message: string }

/** @param error what the last try failed with */
export function waitFor(error: unknown, forMs: number): Wait {
  if (error instanceof RateLimitedError) {
    const { bucket, lane, limit } = error
    return { for: 'limit', forMs, bucket, lane, limit }
  }
  if (error instanceof BlockNotSeenError) {
    const { minBlock } = error.facts
    return { for: 'block', forMs, minBlock: typeof minBlock === 'number' ? minBlock : undefined }
  }
  return { for: 'service', forMs, message: error instanceof Error ? error.message : String(error) }
}
