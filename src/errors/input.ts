import type * as z from 'zod'
import type { Issue } from '../schema/answer.ts'
import { errorOf } from './base.ts'

/** The input does not fit; `issues` names each field. */
export class ValidationError extends errorOf(400, 'VALIDATION_ERROR', 'the input does not fit its schema') {
  constructor(issues: readonly Issue[], options: { cause?: unknown } = {}) {
    const [first] = issues
    const more = issues.length > 1 ? ` (and ${issues.length - 1} more)` : ''
    const subject = first?.path ? `\`${first.path}\` ` : ''
    super(`${subject}${first?.message ?? 'The request is not valid'}${more}`, { issues, ...options })
  }

  /** One field that is wrong. */
  static of(path: string, message: string): ValidationError {
    return new ValidationError([{ path, message }])
  }

  /** The sentences of zod's issues, a row for each unknown field. */
  static fromZod(error: z.core.$ZodError): ValidationError {
    return new ValidationError(error.issues.flatMap(toIssues), { cause: error })
  }
}

const MOST_UNKNOWN_FIELDS_NAMED = 20

function toIssues(issue: z.core.$ZodIssue): Issue[] {
  const path = issue.path.map(String)
  if (issue.code === 'unrecognized_keys') {
    return issue.keys
      .slice(0, MOST_UNKNOWN_FIELDS_NAMED)
      .map((key) => ({ path: [...path, key].join('.').slice(0, 200), message: 'is not a known field' }))
  }
  if (issue.code === 'invalid_type' && issue.input === undefined) {
    return [{ path: path.join('.'), message: 'is required' }]
  }
  return [{ path: path.join('.'), message: issue.message }]
}
