import { hasUnsafeCharacters } from '@remit/protocol/text'
import * as z from 'zod'

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

/**
 * A text as an absolute URL, or undefined where it is none.
 *
 * In place of `URL.canParse`, which on Node 20 begins to deny URLs with letters such as "ä" once it has been called
 * often enough to be compiled.
 */
export function parseUrl(text: string): URL | undefined {
  try {
    return new URL(text)
  } catch {
    return undefined
  }
}
