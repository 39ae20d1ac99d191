import type { SignedPermit } from '@remit/client'
import { isAddress, isAmount, isCount, isHex, readLink, writeLink } from '../signed/linkText.ts'

/** A signed permission as the fragment of a link to `/carry`, where whoever has it can send it to the network. */
export const writePermit = (permit: SignedPermit): string => writeLink(permit)

type Unread = { readonly [Name in keyof SignedPermit]?: unknown }

/**
 * The signed permission in the fragment of a link, without anything else that stands there; `undefined` where it has none.
 * Anybody can have written it: only its form is checked here, and a node says whether it can be carried.
 */
export function readPermit(text: string): SignedPermit | undefined {
  const { chainId, token, owner, value, allowed, deadline, signature }: Unread = Object(readLink(text))
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
  if (isAmount(value) && allowed === undefined) return { ...said, value }
  return typeof allowed === 'boolean' && value === undefined ? { ...said, allowed } : undefined
}
