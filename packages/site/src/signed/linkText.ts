import type { Address, Hex } from 'viem'

// What somebody has signed travels in the fragment of a link, as JSON in base64url. No browser sends a fragment to a server. It is all
// ASCII (addresses, hex, digits, short words of ours), which is all that `btoa` needs. Below: checks of fields that were read.

/** Longer links are refused unread. The signature of a wallet that is a contract takes some thousand. */
const MOST_CHARACTERS = 16_384

/** The fragment of a link, without `#`. @param signed plain JSON */
export function writeLink(signed: object): string {
  return btoa(JSON.stringify(signed)).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '')
}

/** What stands in the fragment of a link, unchecked: anybody can have written it. `undefined` where that is no JSON. */
export function readLink(text: string): unknown {
  if (text.length > MOST_CHARACTERS) return undefined
  try {
    return JSON.parse(atob(text.replaceAll('-', '+').replaceAll('_', '/')))
  } catch {
    return undefined
  }
}

/** Whether it is an amount in a token's smallest unit, in decimal: 256 bits have up to 78 digits. */
export const isAmount = (value: unknown): value is string =>
  typeof value === 'string' && /^\d{1,78}$/.test(value)
/** Whether it is a whole number from 0, such as a time or a chain's id. */
export const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 0
/** Whether it is an address, in whatever case: checksums are not looked at. */
export const isAddress = (value: unknown): value is Address =>
  typeof value === 'string' && /^0x[0-9a-f]{40}$/i.test(value)
/** Whether it is at least one byte in hex. */
export const isHex = (value: unknown): value is Hex =>
  typeof value === 'string' && /^0x([0-9a-f]{2})+$/i.test(value)
