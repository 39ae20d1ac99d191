import { isRecord } from './isRecord.ts'
import type { SimpleShape, WireShape } from './WireShape.ts'

/** Says where an answer differs from its declaration. It holds no values: they may be secret. */
export class ShapeMismatch extends Error {
  constructor(path: string, expected: string) {
    super(`${path === '' ? 'the answer' : `\`${path}\``} is not ${expected}`)
  }
}

/**
 * Decodes an answer: texts of the wire become bigints and Dates. Fields that are not declared are kept as they are,
 * because a newer service may add some.
 *
 * Throws ShapeMismatch where the answer is not what was declared.
 * @param shapes those that `named` shapes refer to
 * @param path where in the answer the value stands, for the error
 */
export function decodeAnswer(
  value: unknown,
  shape: WireShape,
  shapes: Readonly<Record<string, WireShape>>,
  path = '',
): unknown {
  const decode = (inner: unknown, of: WireShape, at: string) => decodeAnswer(inner, of, shapes, at)
  if (typeof shape === 'string') return decodeSimple(value, shape, path)
  if (!isTuple(shape)) return decodeObject(value, shape, path, decode)
  switch (shape[0]) {
    case 'named':
      return decode(value, shapeCalled(shape[1], shapes), path)
    case 'nullable':
      return value === null ? null : decode(value, shape[1], path)
    case 'list':
      return requireList(value, path).map((item, index) => decode(item, shape[1], `${path}[${index}]`))
    case 'record':
      return mapFields(requireRecord(value, path), (item, name) => decode(item, shape[1], below(path, name)))
    case 'oneOf': {
      const [, ...values] = shape
      if (values.some((one) => one === value)) return value
      throw new ShapeMismatch(path, values.length === 1 ? String(values[0]) : `one of ${values.join(', ')}`)
    }
    case 'variants': {
      // A variant of a newer service passes, where the field that tells variants apart may hold other names.
      const [, by, common, cases] = shape
      const name = String(requireRecord(value, path)[by])
      if (!Object.hasOwn(cases, name) && !Object.hasOwn(common, by))
        throw new ShapeMismatch(below(path, by), `one of ${Object.keys(cases).join(', ')}`)
      const own = Object.hasOwn(cases, name) ? cases[name] : {}
      return decodeObject(value, { ...common, ...own }, path, decode)
    }
  }
}

function shapeCalled(name: string, shapes: Readonly<Record<string, WireShape>>): WireShape {
  const shape = shapes[name]
  if (shape === undefined) throw new RangeError(`The client has no shape called ${name}`)
  return shape
}

type Decode = (value: unknown, shape: WireShape, path: string) => unknown

function decodeObject(
  value: unknown,
  shape: Readonly<Record<string, WireShape>>,
  path: string,
  decode: Decode,
): unknown {
  const fields = requireRecord(value, path)
  const decoded = Object.entries(shape).flatMap(([key, of]) => {
    const optional = key.endsWith('?')
    const name = optional ? key.slice(0, -1) : key
    if (optional && !Object.hasOwn(fields, name)) return []
    return [[name, decode(fields[name], of, below(path, name))]]
  })
  // fromEntries, so that a field called __proto__ is a field.
  return { ...fields, ...Object.fromEntries(decoded) }
}

const ANY = /^/
// Limits on digits, so that a hostile length never reaches BigInt.
const DECIMAL = /^(0|-?[1-9]\d{0,314})$/
const HEX_QUANTITY = /^0x(0|[1-9a-fA-F][0-9a-fA-F]{0,63})$/
const ADDRESS = /^0x[0-9a-fA-F]{40}$/
const HEX = /^0x([0-9a-fA-F]{2})*$/
const ISO_TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?Z$/

function decodeSimple(value: unknown, shape: SimpleShape, path: string): unknown {
  switch (shape) {
    case 'json':
      if (value === undefined) throw new ShapeMismatch(path, 'there')
      return value
    case 'string':
      return requireText(value, path, ANY, 'a text')
    case 'number':
      // A whole number beyond 2^53 has lost its last digits by now.
      if (typeof value === 'number' && (!Number.isInteger(value) || Number.isSafeInteger(value))) return value
      throw new ShapeMismatch(path, 'a number')
    case 'boolean':
      if (typeof value === 'boolean') return value
      throw new ShapeMismatch(path, 'true or false')
    case 'scalar':
      if (['string', 'number', 'boolean'].includes(typeof value)) return value
      throw new ShapeMismatch(path, 'a text, a number, true or false')
    case 'address':
      return requireText(value, path, ADDRESS, 'an address')
    case 'hex':
      return requireText(value, path, HEX, 'bytes in hex')
    case 'decimal':
      return BigInt(requireText(value, path, DECIMAL, 'a whole number as a decimal text'))
    case 'hexQuantity':
      return BigInt(requireText(value, path, HEX_QUANTITY, 'a whole number as a hex text'))
    case 'time': {
      const time = new Date(requireText(value, path, ISO_TIME, 'a time in ISO 8601, UTC'))
      if (Number.isNaN(time.getTime())) throw new ShapeMismatch(path, 'a time that there is')
      return time
    }
  }
}

function requireText(value: unknown, path: string, form: RegExp, expected: string): string {
  if (typeof value === 'string' && form.test(value)) return value
  throw new ShapeMismatch(path, expected)
}

function requireList(value: unknown, path: string): readonly unknown[] {
  if (Array.isArray(value)) return value
  throw new ShapeMismatch(path, 'a list')
}

function requireRecord(value: unknown, path: string): Readonly<Record<string, unknown>> {
  if (isRecord(value)) return value
  throw new ShapeMismatch(path, 'an object')
}

function isTuple(shape: Exclude<WireShape, string>): shape is Extract<WireShape, readonly unknown[]> {
  return Array.isArray(shape)
}

function mapFields(
  fields: Readonly<Record<string, unknown>>,
  map: (value: unknown, name: string) => unknown,
): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, map(value, name)]))
}

function below(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`
}
