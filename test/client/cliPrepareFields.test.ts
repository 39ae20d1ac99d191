import { PREPARE_FIELDS } from '@remit/client/testing/cli/commands/prepare'
import { operations } from '@remit/service/operations/index'
import { expect, it } from 'vitest'
import * as z from 'zod'

const Schema: z.ZodType<{
  type?: string | undefined
  properties?: Record<string, Schema> | undefined
  anyOf?: Schema[] | undefined
}> = z.looseObject({
  type: z.string().optional(),
  get properties() {
    return z.record(z.string(), Schema).optional()
  },
  get anyOf() {
    return z.array(Schema).optional()
  },
})
type Schema = z.output<typeof Schema>

const KINDS: Readonly<Record<string, string>> = {
  string: 'text',
  integer: 'whole',
  number: 'whole',
  boolean: 'switch',
}

/** Every field of an input that is no object itself: "details.url text". */
function leaves({ properties = {} }: Schema, path: readonly string[] = []): string[] {
  return Object.entries(properties).flatMap(([name, field]) => {
    const at = [...path, name]
    if (field.properties !== undefined) return leaves(field, at)
    const type = field.type ?? field.anyOf?.[0]?.type
    return [`${at.join('.')} ${KINDS[type ?? ''] ?? `an unknown ${type}`}`]
  })
}

const prepares = operations.filter(({ rest }) => rest?.path.startsWith('/prepare/'))

it('has an option of the right kind for every field of every prepare, and no other', () => {
  const wanted = new Set(
    prepares.flatMap(({ input }) => leaves(Schema.parse(z.toJSONSchema(input, { io: 'input' })))),
  )
  const given = new Set(PREPARE_FIELDS.map(({ path, kind }) => `${path.join('.')} ${kind}`))
  expect([...given].sort()).toEqual([...wanted].sort())
})
