import type { Hex } from 'viem'

/** Hex as the store keeps it. @throws Error where it is none, which only a damaged store can hold */
export function toHex(text: string): Hex {
  if (!isHex(text)) throw new Error(`the store holds ${text.slice(0, 80)} where hex was written`)
  return text
}

function isHex(text: string): text is Hex {
  return /^0x[0-9a-f]*$/.test(text)
}
