import { computed, effect } from '@preact/signals'
import type { Address } from 'viem'
import { root } from '../page/api.ts'
import { queryNow, readFor } from '../page/live.ts'
import { connected } from '../wallet/wallet.ts'

/** Whose page it is: the address in the query, by default the connected wallet's. */
// Safe: the service has read the document by it, and refuses what is no address.
export const subject = computed(() => queryNow.value.address as Address | undefined)

/** Whether the connected wallet may sign here. */
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
  return readFor(location.pathname.slice(root.length), { address })
}

function isSame(one: string | undefined, other: string | undefined): boolean {
  return one !== undefined && one.toLowerCase() === other?.toLowerCase()
}
