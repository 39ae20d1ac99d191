import { signal } from '@preact/signals'
import { pageData } from '../page/pageData.ts'
import { type FromPage, type Unavailable, WINDOW_NAME } from './messages.ts'

// The subscribe page's side of the conversation that `messages.ts` tells.

/** The origin of the page whose button opened this window, once the two have met. */
export const openerOrigin = signal<string | undefined>(undefined)

/** Whether that page wants a pass for its own origin. */
export const wantsPass = signal(false)

type WithoutNonce<Message> = Message extends { readonly nonce: string } ? Omit<Message, 'nonce'> : never
/** What the page tells. `tell` adds the nonce, which is known once the two have met. */
type Told = WithoutNonce<FromPage>

let nonce = ''
/** Messages to send as soon as the two have met: after a reload something may be known earlier. */
const untold: Told[] = []

/** Lets the button that opened this window make itself known. Does nothing in a window that no button opened. */
export function meetOpener(): void {
  const opener: Window | null = window.opener
  if (opener === null || !window.name.startsWith(WINDOW_NAME)) return
  addEventListener('message', ({ source, origin, data }: MessageEvent<unknown>) => {
    // The first origin stays the only one. A file or a sandbox has no origin that can be named.
    if (source !== opener || origin === 'null' || openerOrigin.peek() !== undefined) return
    if (typeof data !== 'object' || data === null || !('remit' in data) || data.remit !== 'hello') return
    if (!('nonce' in data) || typeof data.nonce !== 'string' || data.nonce.length > 100) return
    nonce = data.nonce
    wantsPass.value = 'wantsPass' in data && data.wantsPass === true
    openerOrigin.value = origin
    tell({ remit: 'ready' })
    const reason = whyUnavailable()
    if (reason !== undefined) tell({ remit: 'unavailable', reason })
    for (const told of untold.splice(0)) tell(told)
  })
  const here: FromPage = { remit: 'here', name: window.name }
  // Whoever opened this window may read that it is here: they know already.
  opener.postMessage(here, '*')
}

/** As the page's document has it: the plan, or the error with which it was refused. `undefined`: one can subscribe. */
function whyUnavailable(): Unavailable | undefined {
  const { answers, refusal } = pageData
  const { status = 0, body = {} } = refusal ? { status: Number(refusal.status) } : (answers.plan ?? {})
  if (status === 200) return Object(body.subscription).cancelled === true ? 'cancelled' : undefined
  return status === 400 || status === 404 ? 'not-found' : 'unreachable'
}

/** Tells the button's page, and no other one, whether something was sent whose outcome is unknown. */
export function tellPending(isPending: boolean): void {
  tell({ remit: 'pending', isPending })
}

/** Tells the button's page, and no other one, that somebody has subscribed. */
export function tellSubscribed(transactionHash: string, blockNumber: number): void {
  tell({ remit: 'subscribed', transactionHash, blockNumber })
}

/** Gives the button's page, and no other one, a pass. @param expiresAt unix seconds */
export function tellPass(pass: string, expiresAt: number): void {
  tell({ remit: 'pass', pass, expiresAt })
}

function tell(told: Told): void {
  const opener: Window | null = window.opener
  const origin = openerOrigin.peek()
  if (origin === undefined) untold.push(told)
  else opener?.postMessage({ ...told, nonce }, origin)
}
