import { ValidationError } from '../../errors/input.ts'

/** Far deeper than any input needs, and shallow enough for every recursive function that reads it. */
export const MAX_JSON_DEPTH = 32

export interface ParsedJson {
  readonly value: unknown
  /** Why valid JSON is refused as input: it is nested too deep, or a name is given twice. */
  readonly flaw: ValidationError | undefined
}

/** Parses JSON text. Throws ValidationError for invalid JSON; other flaws are returned beside the value. */
export function parseJson(text: string): ParsedJson {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (cause) {
    throw new ValidationError([{ message: 'The request body is not valid JSON.' }], { cause })
  }
  return { value, flaw: findFlaw(text) }
}

/**
 * Looks for flaws in valid JSON, in one pass.
 *
 * A name that is given twice is refused. To pick one of two amounts silently would be a guess about money.
 */
function findFlaw(text: string): ValidationError | undefined {
  // The names seen in each open object; `null` for an open array.
  const open: (Set<string> | null)[] = []
  for (let index = 0; index < text.length; index++) {
    const character = text[index]
    if (character === '{' || character === '[') {
      if (open.length === MAX_JSON_DEPTH) return tooDeep()
      open.push(character === '{' ? new Set() : null)
    } else if (character === '}' || character === ']') {
      open.pop()
    } else if (character === '"') {
      const end = endOfString(text, index)
      const names = open.at(-1)
      if (names && isName(text, end)) {
        const name = String(JSON.parse(text.slice(index, end)))
        if (names.has(name)) return ValidationError.of(name.slice(0, 200), 'is given more than once')
        names.add(name)
      }
      index = end - 1
    }
  }
  return undefined
}

/** The index behind the closing quote of the string that opens at `start`. */
function endOfString(text: string, start: number): number {
  let index = start + 1
  while (text[index] !== '"') index += text[index] === '\\' ? 2 : 1
  return index + 1
}

function isName(text: string, end: number): boolean {
  let index = end
  while (text[index] === ' ' || text[index] === '\n' || text[index] === '\r' || text[index] === '\t') index++
  return text[index] === ':'
}

function tooDeep(): ValidationError {
  return new ValidationError([{ message: `JSON may be nested ${MAX_JSON_DEPTH} levels deep at most.` }])
}
