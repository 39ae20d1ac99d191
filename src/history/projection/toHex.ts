import type { Hex } from 'viem'

/** Narrows a text of the store to hex. @throws Error if it is none: the store is damaged */
export function toHex(text: string): Hex {
  if (!isHex(text)) throw new Error(`the store holds ${text.slice(0, 80)} where hex was written`)
  return text
}

function isHex(text: string): text is Hex {
  return /^0x[0-9a-f]*$/.test(text)
}
