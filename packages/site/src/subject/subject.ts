import { computed, effect } from '@preact/signals'
import type { Address } from 'viem'
import { pathNow, queryNow, readOtherSubject } from '../page/live.ts'
import { connected } from '../wallet/wallet.ts'

// Pages about one wallet (`/me`, `/desk`) name it in their query, `?address=`.

/** The wallet that the page is about; `undefined` where the query names none. `followWallet` puts the connected one there. */
export const subject = computed(() => {
  const { address } = queryNow.value
  // Safe: it has the form of an address, which is all that the type says.
  return isAddress(address) ? (address as Address) : undefined
})

/** Whether the query names something that is no address: mostly a link that was cut. */
export const isCut = computed(() => {
  const { address } = queryNow.value
  return address !== undefined && !isAddress(address)
})

const ADDRESS = /^0x[0-9a-f]{40}$/i

/** Whether somebody has typed, or linked to, what can be an address. */
export function isAddress(text: string | undefined): text is string {
  return text !== undefined && ADDRESS.test(text)
}

/** Whether the page is about the connected wallet, which may sign here then. */
export const isMine = computed(() => isSame(subject.value, connected.value?.address))

/** Lets the page follow the connected wallet, unless it is about somebody else. Call it once, in the page's module. */
export function followWallet(): void {
  let followed: string | undefined
  effect(() => {
    const address = connected.value?.address
    const shown = subject.peek()
    const isOwn = shown === undefined || isSame(shown, followed)
    followed = address
    if (address !== undefined && isOwn && !isSame(shown, address)) void lookAt(address)
  })
}

/** Shows the page of this address. */
export function lookAt(address: string): Promise<void> {
  return readOtherSubject(pathNow.peek(), { address })
}

function isSame(one: string | undefined, other: string | undefined): boolean {
  return one !== undefined && one.toLowerCase() === other?.toLowerCase()
}
