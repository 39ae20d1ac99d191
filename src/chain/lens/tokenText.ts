import { type Hex, hexToBytes, size } from 'viem'
import { cleanText } from '../../protocol/text.ts'

/** No symbol or name that a person reads is longer. */
const MOST_CHARACTERS = 100

/**
 * The text that a token's `symbol()` or `name()` returns; `null` if it is no readable text.
 *
 * Tokens return a string, as the standard says, or 32 bytes, as older tokens do.
 * @param answer the raw answer, cut at 256 bytes; empty if the call failed
 */
export function tokenText(answer: Hex): string | null {
  const bytes = hexToBytes(answer)
  const content = size(answer) === 32 ? beforeFirstZero(bytes) : stringContent(bytes)
  if (content === undefined) return null
  try {
    const text = cleanText(new TextDecoder('utf-8', { fatal: true }).decode(content), MOST_CHARACTERS).trim()
    return text === '' ? null : text
  } catch {
    return null
  }
}

function beforeFirstZero(bytes: Uint8Array): Uint8Array {
  const end = bytes.indexOf(0)
  return end === -1 ? bytes : bytes.subarray(0, end)
}

function stringContent(bytes: Uint8Array): Uint8Array | undefined {
  const start = smallWord(bytes, 0)
  const length = start === undefined ? undefined : smallWord(bytes, start)
  if (start === undefined || length === undefined || start + 32 + length > bytes.length) return undefined
  return bytes.subarray(start + 32, start + 32 + length)
}

/** The value of a 32-byte word, if it can be an offset or a length in the answer. */
function smallWord(bytes: Uint8Array, at: number): number | undefined {
  const word = bytes.subarray(at, at + 32)
  if (word.length < 32 || word.subarray(0, 30).some((byte) => byte !== 0)) return undefined
  return (word[30] ?? 0) * 256 + (word[31] ?? 0)
}
