import type { SignedTopUp } from '@remit/client'
import { isAddress, isAmount, isCount, isHex, readLink, writeLink } from '../../signed/linkText.ts'

/** A signed gift as the fragment of a link to `/top-up`. */
export const writeGift = (signed: SignedTopUp): string => writeLink(signed)

type Unread = { readonly [Name in keyof SignedTopUp]?: unknown }

/** The signed gift in the fragment of a link; `undefined` where it has none. Anybody can have written it: only its form is checked. */
export function readGift(text: string): SignedTopUp | undefined {
  const { chainId, token, payer, account, value, validBefore, signature }: Unread = Object(readLink(text))
  return isCount(chainId) &&
    isCount(validBefore) &&
    isAddress(token) &&
    isAddress(payer) &&
    isAddress(account) &&
    isAmount(value) &&
    isHex(signature)
    ? { chainId, token, payer, account, value, validBefore, signature }
    : undefined
}
