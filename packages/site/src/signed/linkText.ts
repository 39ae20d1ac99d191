import type { Address, Hex } from 'viem'

/** A wallet’s contract may sign at length; nobody’s link is longer than this. */
const MOST_CHARACTERS = 16_384

/** Plain JSON as the fragment of a link, which no browser sends to a server. */
export function writeLink(signed: object): string {
  return btoa(JSON.stringify(signed)).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '')
}

/** What stands in the fragment of a link, whatever it is; `undefined` where that is no JSON. It is a stranger’s word. */
export function readLink(text: string): unknown {
  if (text.length > MOST_CHARACTERS) return undefined
  try {
    return JSON.parse(atob(text.replaceAll('-', '+').replaceAll('_', '/')))
  } catch {
    return undefined
  }
}

/** In 256 bits there is room for 78 digits. */
export const isAmount = (value: unknown): value is string =>
  typeof value === 'string' && /^\d{1,78}$/.test(value)
export const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 0
export const isAddress = (value: unknown): value is Address =>
  typeof value === 'string' && /^0x[0-9a-f]{40}$/i.test(value)
export const isHex = (value: unknown): value is Hex =>
  typeof value === 'string' && /^0x([0-9a-f]{2})+$/i.test(value)
