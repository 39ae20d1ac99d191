import * as z from 'zod'
import { defineOperation } from '../../core/operation.ts'
import { pageAnswer, pageFields } from '../../schema/page.ts'
import { Key, managementErrors, SubjectId, toKey } from './key.ts'

const PAGE = { default: 25, max: 100 }

/** Pages through keys: a subject's, or everybody's. */
export const listKeys = defineOperation({
  name: 'list_keys',
  effect: 'manage',
  scope: 'keys',
  summary: 'API keys, newest first, including revoked and expired ones',
  rest: { method: 'GET', path: '/developer/keys' },
  tool: false,
  errors: managementErrors,
  input: z.object({
    subjectId: SubjectId.optional().describe('Only the keys of this subject.'),
    first: pageFields(PAGE).first,
    after: pageFields(PAGE).after,
  }),
  output: z.object({ keys: z.array(Key), nextCursor: pageAnswer.nextCursor }),
  async handle({ input: { subjectId, first = PAGE.default, after }, keys }) {
    const page = await keys.list({ subjectId, first, after })
    return { keys: page.keys.map(toKey), nextCursor: page.nextCursor }
  },
})
