import type { Hex } from 'viem'

/** Checks that a text of the store is hex. @throws Error if it is not: the store is damaged */
export function toHex(text: string): Hex {
  if (!isHex(text)) throw new Error(`the store holds ${text.slice(0, 80)} where hex was written`)
  return text
}

function isHex(text: string): text is Hex {
  return /^0x[0-9a-f]*$/.test(text)
}
