export const PARTS = ['node', 'head', 'configuration', 'index', 'webhooks'] as const

/** Something that is wrong now. */
export interface Trouble {
  readonly part: (typeof PARTS)[number]
  /** `null` for what belongs to no chain. */
  readonly chainId: number | null
  /** A sentence, which names no upstream. */
  readonly message: string
}

/** A trouble with its time. Times are unix seconds. */
export interface Incident extends Trouble {
  readonly startedAt: number
  /** `null` while it lasts. */
  readonly endedAt: number | null
}
