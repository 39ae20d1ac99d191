/** Where an answer is told in part: this key stands for all that is left out. */
const REST = '…'

/**
 * Reads JSON as documents show it, in which `…` may stand for the rest of an object or array.
 * Throws SyntaxError where it is no JSON besides.
 */
export function parseAbridged(text: string): unknown {
  // Inside of strings an ellipsis is a part of the value; outside it becomes a member of its own.
  const whole = text.replace(/"(?:[^"\\]|\\.)*"|…/gs, (token, offset: number) => {
    if (token !== REST) return token
    return opensArray(text, offset) ? `"${REST}"` : `"${REST}": "${REST}"`
  })
  return JSON.parse(whole)
}

/** Whether the bracket that encloses this place is an array's. */
function opensArray(text: string, offset: number): boolean {
  const before = text.slice(0, offset).replace(/"(?:[^"\\]|\\.)*"/gs, '')
  let depth = 0
  for (const character of [...before].reverse()) {
    if (character === ']' || character === '}') depth += 1
    if (character === '[' || character === '{') {
      if (depth === 0) return character === '['
      depth -= 1
    }
  }
  return false
}

/**
 * Where a real answer has another shape than the one that is shown, or `undefined`: the same keys, the same types,
 * and of texts the same kind. A null may be a value on the other side, and an empty list any list.
 *
 * @param ids is told what id the real answer has where the document shows one
 */
export function difference(
  shown: unknown,
  real: unknown,
  ids: (shown: string, real: string) => void = () => {},
  path = 'the answer',
): string | undefined {
  if (shown === null || real === null) return undefined
  if (Array.isArray(shown) && Array.isArray(real)) {
    const elements = shown.filter((element) => element !== REST)
    if (real.length === 0 || elements.length === 0) return undefined
    // A list shows some of many: each that is shown has the shape of one that is there.
    for (const [index, element] of elements.entries()) {
      const within = `${path}[${index}]`
      const differences = real.map((one) => difference(element, one, () => {}, within))
      const alike =
        differences[index] === undefined && index < real.length ? index : differences.indexOf(undefined)
      if (alike === -1) return differences[Math.min(index, differences.length - 1)]
      difference(element, real[alike], ids, within)
    }
    return undefined
  }
  if (isObject(shown) && isObject(real)) {
    const partial = REST in shown
    for (const [key, value] of Object.entries(shown)) {
      if (key === REST) continue
      if (!(key in real)) return `${path} has no ${key}`
      const found = difference(value, real[key], ids, `${path}.${key}`)
      if (found !== undefined) return found
    }
    const more = Object.keys(real).filter((key) => !(key in shown))
    return partial || more.length === 0 ? undefined : `${path} also has ${more.join(', ')}`
  }
  if (typeof shown === 'string' && typeof real === 'string') {
    if (isId(shown) && isId(real)) ids(shown, real)
    const [expected, found] = [kindOf(shown), kindOf(real)]
    return expected === found || shown.includes(REST)
      ? undefined
      : `${path} is ${found}, and shown is ${expected}`
  }
  return typeof shown === typeof real && !Array.isArray(shown) && !Array.isArray(real)
    ? undefined
    : `${path} is ${JSON.stringify(real)?.slice(0, 60)}, and shown is ${JSON.stringify(shown).slice(0, 60)}`
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const isId = (text: string) => /^0x[0-9a-f]{64}$/.test(text)

const KINDS: readonly (readonly [string, RegExp])[] = [
  ['a hash', /^0x[0-9a-f]{64}$/],
  ['an address', /^0x[0-9a-fA-F]{40}$/],
  ['hex', /^0x[0-9a-f]*$/],
  ['a day', /^\d{4}-\d\d-\d\d$/],
  ['a time', /^\d{4}-\d\d-\d\dT/],
  ['a number', /^-?\d+(\.\d+)?$/],
]

function kindOf(text: string): string {
  return KINDS.find(([, pattern]) => pattern.test(text))?.[0] ?? 'a text'
}

/** Every JSON value of a program's output, one after the other, and every object within. */
export function* answersIn(output: string): Generator<unknown> {
  for (let start = output.search(/[{[]/); start !== -1; ) {
    const end = endOfValue(output, start)
    const next = end === undefined ? start + 1 : end
    if (end !== undefined) {
      try {
        yield* objectsIn(JSON.parse(output.slice(start, end)))
      } catch {
        // Not JSON after all, such as a list in brackets.
      }
    }
    const further = output.slice(next).search(/[{[]/)
    start = further === -1 ? -1 : next + further
  }
}

function* objectsIn(value: unknown): Generator<unknown> {
  if (typeof value !== 'object' || value === null) return
  yield value
  for (const inner of Object.values(value)) yield* objectsIn(inner)
}

function endOfValue(text: string, start: number): number | undefined {
  let depth = 0
  const tokens = /"(?:[^"\\]|\\.)*"|[{}[\]]/gs
  tokens.lastIndex = start
  for (let token = tokens.exec(text); token !== null; token = tokens.exec(text)) {
    if (token[0] === '{' || token[0] === '[') depth += 1
    if (token[0] === '}' || token[0] === ']') depth -= 1
    if (depth === 0) return tokens.lastIndex
  }
  return undefined
}
