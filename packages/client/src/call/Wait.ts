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
