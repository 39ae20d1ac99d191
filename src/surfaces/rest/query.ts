import { ValidationError } from '../../errors/input.ts'
import type { Kind } from './jsonKinds.ts'

const DECIMAL = /^-?(0|[1-9]\d{0,15})(\.\d{1,15})?$/

/** The values of a query string. Throws ValidationError for a name that is given more than once. */
export function readQuery(parameters: URLSearchParams): Map<string, string> {
  const values = new Map<string, string>()
  for (const [name, value] of parameters) {
    if (values.has(name)) throw ValidationError.of(name.slice(0, 200), 'is given more than once')
    values.set(name, value)
  }
  return values
}

/**
 * Gives a text of the address the JSON type that its field's schema asks for, where it is written as one.
 *
 * Everything else stays the text it is, so that the schema refuses it by name.
 */
export function toJsonValue(text: string, kinds: ReadonlySet<Kind> | undefined): string | number | boolean {
  if (kinds === undefined || kinds.has('string')) return text
  if (kinds.has('number') && DECIMAL.test(text)) return Number(text)
  if (kinds.has('boolean') && (text === 'true' || text === 'false')) return text === 'true'
  return text
}
