import type { Wait } from './Wait.ts'

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
