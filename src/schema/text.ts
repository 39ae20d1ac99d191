import * as z from 'zod'
import { parseUrl } from './parseUrl.ts'

/**
 * Controls (new lines too), bidirectional marks, embeddings and isolates, line and paragraph separators,
 * and halves of surrogate pairs: what can reorder, hide or break the text around it. The byte order mark too:
 * decoders of UTF-8 leave it out in front, so that a text with it is not read back as it was written.
 *
 * Strangers write text on chain and wallets show it. So these characters are refused in inputs and removed from outputs.
 */
const UNSAFE = '[\\p{Cc}\\p{Zl}\\p{Zp}\\p{Cs}\\u061c\\u200e\\u200f\\u202a-\\u202e\\u2066-\\u2069\\ufeff]'

export function hasUnsafeCharacters(text: string): boolean {
  return new RegExp(UNSAFE, 'u').test(text)
}

/** The text without any of them. */
export function withoutUnsafeCharacters(text: string): string {
  return text.replace(new RegExp(UNSAFE, 'gu'), '')
}

const encoder = new TextEncoder()

/** A text as callers may give it. */
export const PlainText = z
  .string()
  .refine(
    (text) => !hasUnsafeCharacters(text),
    'must have no control or bidirectional characters, and no byte order mark',
  )

/** A text that goes on chain, limited by its bytes in UTF-8. */
export function ChainText(maxBytes: number) {
  return PlainText.max(maxBytes, `must have ${maxBytes} bytes at most`)
    .refine((text) => encoder.encode(text).length <= maxBytes, `must have ${maxBytes} bytes of UTF-8 at most`)
    .describe(`Plain text, at most ${maxBytes} bytes of UTF-8.`)
}

/** A link that goes on chain: an https URL or empty. */
export const ChainUrl = PlainText.max(2048, 'must have 2048 characters at most')
  .refine(isHttpsOrEmpty, 'must be an https:// URL or empty')
  .describe('An https:// URL of at most 2048 characters, or "".')

function isHttpsOrEmpty(text: string): boolean {
  return text === '' || (/^https:\/\/[^\s]+$/i.test(text) && parseUrl(text) !== undefined)
}

/** The details of a subscription. */
export const Details = z.strictObject({ url: ChainUrl, description: ChainText(255) })

const profileText = ChainText(255)

/** A provider's profile. */
export const providerProfile = {
  description: profileText,
  company: profileText,
  url: profileText
    .refine(isHttpsOrEmpty, 'must be an https:// URL or empty')
    .describe('An https:// URL of at most 255 bytes, or "".'),
  domain: profileText,
  email: profileText,
  misc: profileText,
}
