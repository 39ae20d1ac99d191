import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { operations } from '../../../operations/index.ts'
import { toCommonSubset } from './commonSubset.ts'
import { toTool } from './toolSets.ts'

const tools = operations.filter(({ tool }) => tool).map(toTool)

const KEYWORDS = new Set([
  ...['type', 'description', 'properties', 'required', 'items', 'enum'],
  ...['minimum', 'maximum', 'minItems', 'maxItems'],
])

const Node = z.looseObject({
  type: z.enum(['object', 'array', 'string', 'number', 'integer', 'boolean']),
  enum: z.array(z.string()).optional(),
  properties: z.record(z.string(), z.unknown()).optional(),
  items: z.unknown().optional(),
})

/** Throws where a schema says more than models' converters have in common. */
function check(schema: unknown): void {
  const { properties = {}, items, ...node } = Node.parse(schema)
  expect([...KEYWORDS]).toEqual(expect.arrayContaining(Object.keys(node)))
  for (const field of Object.values(properties)) check(field)
  expect(items !== undefined).toBe(node.type === 'array')
  if (items !== undefined) check(items)
}

it.each(tools.map((tool) => [tool.name, tool] as const))(
  '%s takes what every model’s converter knows',
  (_name, tool) => {
    expect(tool.name).toMatch(/^[a-z][a-z0-9_]{0,63}$/)
    check(tool.inputSchema)
  },
)

const inSubset = (schema: z.ZodType) => toCommonSubset(z.toJSONSchema(schema, { io: 'input' }))

describe('what converters do not know', () => {
  it.each([
    ['numbers to choose from', z.literal([0, 1, 2, 3]), { type: 'integer', minimum: 0, maximum: 3 }],
    ['null beside something', z.int().min(1).nullable(), { type: 'integer', minimum: 1 }],
    ['texts and numbers', z.literal([0, 1, 'weekly']), { type: 'string' }],
    [
      'several choices of texts',
      z.union([z.enum(['a']), z.literal('b')]),
      { type: 'string', enum: ['a', 'b'] },
    ],
    [
      'a strict object',
      z.strictObject({ a: z.string().regex(/^x$/).describe('A.'), b: z.boolean().optional() }),
      {
        type: 'object',
        properties: { a: { type: 'string', description: 'A.' }, b: { type: 'boolean' } },
        required: ['a'],
      },
    ],
  ])('is told more simply: %s', (_what, schema, told) => {
    expect(inSubset(schema)).toEqual(told)
  })

  it('cannot be declared where nothing simpler says it', () => {
    expect(() => inSubset(z.union([z.object({ a: z.string() }), z.object({ b: z.string() })]))).toThrow(
      RangeError,
    )
    expect(() => inSubset(z.null())).toThrow(RangeError)
  })
})
