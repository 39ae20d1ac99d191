/** Where two values differ, and how. A value that is missing is `undefined`. */
export interface ValueDifference {
  /** Such as `events[3].amount`; empty for the whole. */
  readonly path: string
  readonly one: unknown
  readonly other: unknown
}

/**
 * What depends on when a service was asked, and on what it had learnt by then: the request's id, the position of its head,
 * its index and its log, and how final it knows a block to be.
 */
const OWN_FIELDS = new Set(['requestId', 'asOf', 'index', 'sequence', 'finality', 'finalized'])

/** The first place, in the order of the first value's fields, where two JSON values differ; `undefined` if none does. */
export function firstDifference(one: unknown, other: unknown, path = ''): ValueDifference | undefined {
  if (!isObject(one) || !isObject(other) || Array.isArray(one) !== Array.isArray(other)) {
    return Object.is(one, other) ? undefined : { path, one, other }
  }
  const [left, right] = [new Map(Object.entries(one)), new Map(Object.entries(other))]
  for (const name of new Set([...left.keys(), ...right.keys()])) {
    if (OWN_FIELDS.has(name)) continue
    const found = firstDifference(left.get(name), right.get(name), pathTo(path, name, Array.isArray(one)))
    if (found !== undefined) return found
  }
  return undefined
}

function pathTo(path: string, name: string, isArray: boolean): string {
  if (isArray) return `${path}[${name}]`
  return path === '' ? name : `${path}.${name}`
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}
