import type { Operation } from '../../calls/serviceOperation.ts'
import { parseJson } from '../http/readJson.ts'
import { choicesOf, type Form, formsOf, mapValues } from './list/commonSubset.ts'
import { wholeInput } from './list/toolSchemas.ts'

type Reader = (given: unknown) => unknown
type Arguments = Readonly<Record<string, unknown>>

const readers = new WeakMap<Operation, (given: Arguments) => Arguments>()

/**
 * Mends the arguments of a tool, which models send as "5" and "true" in quotes, an object as text, a number where text is wanted,
 * null for what is left out. A value that can mean one thing only becomes that. All else stays as it is, and the operation's own
 * schema refuses it.
 */
export function readArguments(operation: Operation, given: Arguments): Arguments {
  const reader = readers.get(operation) ?? fieldsReader(wholeInput(operation))
  readers.set(operation, reader)
  return reader(given)
}

/** Makes what mends one value, by the forms that its schema allows. */
function readerOf(schema: unknown): Reader {
  const forms = formsOf(schema)
  const types = new Set(forms.flatMap(typeOf))
  const object = forms.find(({ properties }) => properties !== undefined)
  const list = forms.find(({ items }) => items !== undefined)
  const readFields = object && fieldsReader(object)
  const readItem = list && readerOf(list.items)
  return (given) => {
    if (given === 'null' && types.has('null')) return null
    const value = forms.some((form) => hasForm(given, form)) ? given : otherForm(given, types)
    if (readItem !== undefined && Array.isArray(value)) return value.map(readItem)
    return readFields !== undefined && jsonTypeOf(value) === 'object' ? readFields(Object(value)) : value
  }
}

function fieldsReader({ properties = {}, required = [] }: Pick<Form, 'properties' | 'required'>) {
  const fields = new Map(Object.entries(mapValues(properties, readerOf)))
  const needed = new Set(required)
  return (given: Arguments): Arguments => {
    const kept = Object.entries(given).flatMap(([name, value]) => {
      const read = fields.get(name)
      if (read === undefined) return [[name, value]]
      // Models that must name every field say null for those that they would leave out.
      return value === null && !needed.has(name) ? [] : [[name, read(value)]]
    })
    return Object.fromEntries(kept)
  }
}

/** A text as the value that it states, or a number as text, if that is of a wanted type; else the value as it is. */
function otherForm(given: unknown, wanted: ReadonlySet<string>): unknown {
  const other = typeof given === 'string' ? fromText(given) : toText(given)
  return wanted.has(jsonTypeOf(other)) ? other : given
}

/** The value that a text states as JSON; the text itself where it is no JSON, or a number that JSON cannot carry exactly. */
export function fromText(text: string): unknown {
  if (/^(true|false)$/i.test(text)) return text.toLowerCase() === 'true'
  try {
    const { value, flaw } = parseJson(text)
    const isExact = typeof value !== 'number' || !Number.isInteger(value) || Number.isSafeInteger(value)
    return flaw === undefined && isExact ? value : text
  } catch {
    return text
  }
}

/** With at most so many digits, a number (a double) surely still has the digits that were written. */
const EXACT_DIGITS = 15

/** A number as the text that it was written as. */
function toText(given: unknown): unknown {
  if (typeof given !== 'number') return given
  const text = String(given)
  const isExact = /^-?\d+(\.\d+)?$/.test(text) && text.replace(/\D/g, '').length <= EXACT_DIGITS
  return isExact || Number.isSafeInteger(given) ? text : given
}

/** Whether a value has this form's type, and a text is one of its choices. */
function hasForm(value: unknown, form: Form): boolean {
  const choices = choicesOf(form)
  const isChoice = choices === undefined || choices.some((choice) => choice === value)
  return typeOf(form).includes(jsonTypeOf(value)) && isChoice
}

function typeOf({ type }: Form): string[] {
  if (type === undefined) return []
  return [type === 'integer' ? 'number' : type]
}

function jsonTypeOf(value: unknown): string {
  if (value === null) return 'null'
  return Array.isArray(value) ? 'array' : typeof value
}
