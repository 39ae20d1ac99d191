import type { Batch } from './Wire.ts'

/** An answer of HTTP. */
export interface Told {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body: string | Uint8Array
}

/** What the honest service has prepared. */
export interface Truth {
  /** With the query. */
  readonly path: string
  readonly text: string
  /** The text, read anew for every lie. */
  readonly batch: Batch
  /** What the honest service prepares for a changed request body; `undefined` if it refuses that body. */
  other(change: object): Promise<Batch | undefined>
}

/** Why a lie cannot be told of a flow. */
export const NOTHING_APPROVED = 'nothing is approved'
export const ONE_CALL = 'one transaction, and so no list to send together'
export const NO_TERMS = 'no terms of a subscription are in the call'
export const NO_CREATION = 'it creates nothing'
export const NO_TEXT = 'no text is in the call'
export const NO_ARGUMENTS = 'the call has no arguments'
export const NO_RESET = 'nothing has to be reset'
export const NO_SUBSCRIBER = 'no other account is in the call'
export const NOT_PREPARED = 'the honest service prepares no such thing'

/** One lie, which the proxy tells in place of the truth, or the reason why there is nothing to lie about. */
export interface Lie {
  readonly name: string
  tell(truth: Truth): Told | string | Promise<Told | string>
}

/** A lie that is a changed answer. */
export function lie(
  name: string,
  change: (batch: Batch, truth: Truth) => Batch | string | Promise<Batch | string>,
): Lie {
  return {
    name,
    async tell(truth) {
      const changed = await change(truth.batch, truth)
      return typeof changed === 'string' ? changed : { body: JSON.stringify(changed) }
    },
  }
}
