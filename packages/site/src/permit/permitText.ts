import type { SignedPermit } from '@remit/client'
import type { Address, Hex } from 'viem'

/** A wallet’s contract may sign at length; nobody’s link is longer than this. */
const MOST_CHARACTERS = 16_384

/** A signed permission as the fragment of a link, which no browser sends to a server. */
export function writePermit(permit: SignedPermit): string {
  return btoa(JSON.stringify(permit)).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '')
}

/**
 * The signed permission in the fragment of a link; `undefined` where it has none. It is a stranger’s word: whether it can be carried is
 * for a node to say.
 */
export function readPermit(text: string): SignedPermit | undefined {
  if (text.length > MOST_CHARACTERS) return undefined
  try {
    return permitIn(JSON.parse(atob(text.replaceAll('-', '+').replaceAll('_', '/'))))
  } catch {
    return undefined
  }
}

type Unread = { readonly [Name in keyof SignedPermit]?: unknown }

/** Only what a permission has, so that nothing else goes on from a link. */
function permitIn(found: unknown): SignedPermit | undefined {
  const { chainId, token, owner, value, allowed, deadline, signature }: Unread = Object(found)
  if (
    !isCount(chainId) ||
    !isCount(deadline) ||
    !isAddress(token) ||
    !isAddress(owner) ||
    !isHex(signature)
  ) {
    return undefined
  }
  const said = { chainId, token, owner, deadline, signature }
  if (typeof value === 'string' && AMOUNT.test(value) && allowed === undefined) return { ...said, value }
  return typeof allowed === 'boolean' && value === undefined ? { ...said, allowed } : undefined
}

/** In 256 bits there is room for 78 digits. */
const AMOUNT = /^\d{1,78}$/

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 0
const isAddress = (value: unknown): value is Address =>
  typeof value === 'string' && /^0x[0-9a-f]{40}$/i.test(value)
const isHex = (value: unknown): value is Hex => typeof value === 'string' && /^0x([0-9a-f]{2})+$/i.test(value)
