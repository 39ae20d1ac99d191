/** The options of one call, which override the client's. */
export interface CallOptions {
  /** Ends the call, whether it waits for an answer or for its next try; the call then throws the signal's reason. */
  readonly signal?: AbortSignal | undefined
  /** How long one try may take, in milliseconds. Default: that of the client, 30 s where it has none. */
  readonly timeoutMs?: number | undefined
  /**
   * How long all tries and the waits between them may take together, in milliseconds. If a wait would end later, the
   * error is thrown at once. Default: no limit.
   */
  readonly withinMs?: number | undefined
  /**
   * How often a call that can safely be repeated is tried again after a failure that may pass. A block that the service has not seen is
   * asked for as long as `withinMs` says, where that is given, but with 0 retries. Default: that of the client, 2 where it has none.
   */
  readonly retries?: number | undefined
  /** Called before each wait between two tries. If it throws, the call ends with that error. */
  readonly onWait?: ((wait: Wait) => void) | undefined
}

/** The options of iterating over a list. */
export interface EachOptions<Answer> extends CallOptions {
  /** Called with each page before its rows come, for what stands beside the rows: the index's position, counts, warnings. */
  readonly onPage?: ((answer: Answer) => void) | undefined
}

/** What a call waits for before it tries again, and for how long: `forMs` milliseconds. */
export type Wait =
  /** A limit of the caller is used up. The service counts each kind of work (bucket) against the limits of the caller's lane. */
  | {
      readonly for: 'limit'
      readonly forMs: number
      /** Which limit it is, such as "writeRpm": prepared transactions in a minute. */
      readonly bucket: string
      /** "free", or "developer" with an API key. */
      readonly lane: string
      /** How many requests it admits; `undefined` where the service did not say. */
      readonly limit: number | undefined
    }
  /** The service has not seen a block yet, such as that of this client's last transaction. */
  | { readonly for: 'block'; readonly forMs: number; readonly minBlock: number | undefined }
  /** The service, or the chain behind it, did not answer. */
  | { readonly for: 'service'; readonly forMs: number; readonly message: string }
