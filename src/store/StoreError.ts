/** The store cannot be used. The message is for the operator and holds no URL. */
export class StoreError extends Error {
  override readonly name = 'StoreError'
}

/** The store takes no writes, whatever is written; it may still be read. The message is for the operator. */
export class UnwritableError extends Error {
  override readonly name = 'UnwritableError'
  /** Such as "its disk is full". */
  readonly reason: string

  constructor(reason: string, cause: unknown) {
    super(`The store cannot be written: ${reason}.`, { cause })
    this.reason = reason
  }
}
