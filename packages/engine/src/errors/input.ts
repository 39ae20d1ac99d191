import type * as z from 'zod'
import type { Issue } from '../schema/envelope.ts'
import { errorOf } from './base.ts'

/** The input is invalid; `issues` names each field. */
export class ValidationError extends errorOf(400, 'VALIDATION_ERROR', 'the input does not fit its schema') {
  constructor(issues: readonly Issue[], options: { cause?: unknown } = {}) {
    const [first] = issues
    const more = issues.length > 1 ? ` (and ${issues.length - 1} more)` : ''
    const subject = first?.path ? `\`${first.path}\` ` : ''
    super(`${subject}${first?.message ?? 'The request is not valid'}${more}`, { issues, ...options })
  }

  /** The error for one field that is wrong. */
  static of(path: string, message: string): ValidationError {
    return new ValidationError([{ path, message }])
  }

  /**
   * Converts zod's issues. Each unknown field becomes an issue of its own.
   * @param bounds issues that the caller's lane (free or developer) adds where the input exceeds what the lane may ask for. For
   *   the same field, such an issue replaces zod's "too big", because the lane's bound is the lower one
   */
  static fromZod(error: z.core.$ZodError, bounds: readonly Issue[] = []): ValidationError {
    const own = error.issues.flatMap((issue) => boundOf(issue, bounds) ?? toIssues(issue))
    const others = bounds.filter(({ path }) => !own.some((issue) => issue.path === path))
    return new ValidationError([...own, ...others], { cause: error })
  }
}

/**
 * Says what is wrong with a field; the sentence continues the field's name. Pass it to every parse of a caller's input.
 *
 * Zod does not call it where a schema has its own message.
 */
export const inputSentence: z.core.$ZodErrorMap = (issue) => {
  if (issue.input === undefined && issue.code !== 'unrecognized_keys') return 'is required'
  switch (issue.code) {
    case 'invalid_type':
      return `must be ${TYPES[issue.expected] ?? issue.expected}`
    case 'invalid_value':
      return `must be ${issue.values.length === 1 ? '' : 'one of '}${issue.values.map(String).join(', ')}`
    case 'too_big':
      return `must ${sizeOf(issue.origin, 'at most', issue.maximum)}`
    case 'too_small':
      return `must ${sizeOf(issue.origin, 'at least', issue.minimum)}`
    case 'invalid_format':
      // Few formats of zod have no pattern, such as "url". An email has one, so this never reads "a email".
      return issue.pattern === undefined ? `must be a ${issue.format}` : `must match ${issue.pattern}`
    case 'invalid_union':
      return 'has none of the forms that it may have'
    default:
      return undefined
  }
}

const TYPES: Readonly<Record<string, string>> = {
  int: 'a whole number',
  number: 'a number',
  string: 'a string',
  boolean: 'true or false',
  object: 'an object',
  array: 'a list',
}

function sizeOf(origin: string, bound: string, limit: number | bigint): string {
  if (origin === 'string') return `have ${bound} ${limit} characters`
  return origin === 'array' ? `have ${bound} ${limit} items` : `be ${bound} ${limit}`
}

/** How many unknown fields an error names: a body of 64 KiB may hold thousands, and the error would be as long. */
const MOST_UNKNOWN_FIELDS_NAMED = 20

/** The lane's issue for the field that zod found too big; `undefined` where the lane has none for it. */
function boundOf(issue: z.core.$ZodIssue, bounds: readonly Issue[]): Issue | undefined {
  if (issue.code !== 'too_big') return undefined
  const path = issue.path.map(String).join('.')
  return bounds.find((bound) => bound.path === path)
}

function toIssues(issue: z.core.$ZodIssue): Issue[] {
  const path = issue.path.map(String)
  if (issue.code === 'unrecognized_keys') {
    // Cut, because the caller chooses the name of an unknown field.
    return issue.keys
      .slice(0, MOST_UNKNOWN_FIELDS_NAMED)
      .map((key) => ({ path: [...path, key].join('.').slice(0, 200), message: 'is not a known field' }))
  }
  return [{ path: path.join('.'), message: issue.message }]
}
