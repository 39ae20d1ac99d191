import { signal } from '@preact/signals'
import { type FromPage, WINDOW_NAME } from './messages.ts'

/** The origin of the page whose button opened this window, once the two have met. */
export const openerOrigin = signal<string | undefined>(undefined)

/** Whether that page wants a pass for its own origin. */
export const wantsPass = signal(false)

let nonce = ''

/** Lets the button that opened this window make itself known. Does nothing in a window that no button opened. */
export function meetOpener(): void {
  const opener: Window | null = window.opener
  if (opener === null || !window.name.startsWith(WINDOW_NAME)) return
  addEventListener('message', ({ source, origin, data }: MessageEvent<unknown>) => {
    // The first origin is the only one: later nobody takes its place. A file or a sandbox has none that can be named.
    if (source !== opener || origin === 'null' || openerOrigin.peek() !== undefined) return
    if (typeof data !== 'object' || data === null || !('remit' in data) || data.remit !== 'hello') return
    if (!('nonce' in data) || typeof data.nonce !== 'string' || data.nonce.length > 100) return
    nonce = data.nonce
    wantsPass.value = 'wantsPass' in data && data.wantsPass === true
    openerOrigin.value = origin
    tell({ remit: 'ready', nonce })
  })
  const here: FromPage = { remit: 'here', name: window.name }
  // Whoever opened this window may read that it is here: they know already.
  opener.postMessage(here, '*')
}

/** Tells the button's page, and no other one, that somebody has subscribed. */
export function tellSubscribed(transactionHash: string, blockNumber: number): void {
  tell({ remit: 'subscribed', nonce, transactionHash, blockNumber })
}

/** Gives the button's page, and no other one, a pass. @param expiresAt unix seconds */
export function tellPass(pass: string, expiresAt: number): void {
  tell({ remit: 'pass', nonce, pass, expiresAt })
}

function tell(said: FromPage): void {
  const opener: Window | null = window.opener
  const origin = openerOrigin.peek()
  if (opener !== null && origin !== undefined) opener.postMessage(said, origin)
}
