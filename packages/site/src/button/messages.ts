/**
 * What the button on a page of others (`SubscribeButton.ts`) and the subscribe page that it opens (`opener.ts`) say to each
 * other, by `postMessage`.
 *
 * 1. The page says `here` to whoever opened it, with the name that its window was given. Nothing in it is secret.
 * 2. The button knows the name, and that the page is the service's by the message's origin. It answers `hello` with a nonce,
 *    and with whether its page wants a pass.
 * 3. The page takes the origin of that message for its opener's, once and for all, and speaks to that origin alone,
 *    with the nonce. The opener's address never comes from a URL, which anybody could have written.
 * 4. The page says `pending` once something has left the wallet, and `subscribed` once that is mined: between the two it is
 *    not known whether somebody has subscribed.
 * 5. The page says `unavailable` after `ready` where nobody can subscribe to its plan.
 * 6. Where a pass is wanted, the page sends one; `expiresAt` is in unix seconds.
 */
export type FromPage =
  | { readonly remit: 'unavailable'; readonly nonce: string; readonly reason: Unavailable }
  | { readonly remit: 'here'; readonly name: string }
  | { readonly remit: 'ready'; readonly nonce: string }
  | { readonly remit: 'pending'; readonly nonce: string; readonly isPending: boolean }
  | {
      readonly remit: 'subscribed'
      readonly nonce: string
      readonly transactionHash: string
      readonly blockNumber: number
    }
  | { readonly remit: 'pass'; readonly nonce: string; readonly pass: string; readonly expiresAt: number }

/** Why nobody can subscribe: no such plan, a plan that has ended, or one that cannot be shown at the moment. */
export const UNAVAILABLE = ['not-found', 'cancelled', 'unreachable'] as const
export type Unavailable = (typeof UNAVAILABLE)[number]

export interface FromButton {
  readonly remit: 'hello'
  readonly nonce: string
  readonly wantsPass: boolean
}

/** Begins the name of a window that the button opened. */
export const WINDOW_NAME = 'remit-subscribe-'
