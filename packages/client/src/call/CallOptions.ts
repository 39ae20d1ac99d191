/** The options of one call, which override the client's. */
export interface CallOptions {
  /** Ends the call, its waiting and its sleeping; the call then throws the signal's reason. */
  readonly signal?: AbortSignal | undefined
  /** How long one try may take, in milliseconds. */
  readonly timeoutMs?: number | undefined
  /**
   * How long all tries and the waits between them may take together, in milliseconds. If a wait would end later, the
   * error is thrown at once. Default: no limit.
   */
  readonly withinMs?: number | undefined
  /** How often the call is tried again where that is safe. */
  readonly retries?: number | undefined
  /** Called before each wait between two tries. What it throws ends the call. */
  readonly onWait?: ((wait: Wait) => void) | undefined
}

/** The options of iterating over a list. */
export interface EachOptions<Answer> extends CallOptions {
  /** Sees every page before its rows come: where the index stood, counts, warnings. */
  readonly onPage?: ((answer: Answer) => void) | undefined
}

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
