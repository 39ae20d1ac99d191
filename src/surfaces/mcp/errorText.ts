import * as z from 'zod'
import { Issue } from '../../schema/answer.ts'

const Failure = z.object({ error: z.string(), code: z.string(), issues: z.array(Issue).optional() })

/** The body of an error in a few words: the sentence, the code, and each field or precondition that fails. */
export function errorText(body: Record<string, unknown>): string {
  const { error, code, issues = [] } = Failure.parse(body)
  const lines = issues.map((issue) => `- ${issue.code ?? issue.path ?? ''}: ${issue.message}`)
  return [`${code}: ${error}`, ...lines].join('\n')
}
