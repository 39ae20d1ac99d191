import { expect, it } from 'vitest'
import * as z from 'zod'
import { inputSentence, ValidationError } from './input.ts'

const Schema = z.strictObject({
  count: z.int().min(1).max(10),
  choice: z.literal([0, 1]),
  flag: z.boolean(),
  name: z.string().max(3, 'must be short'),
  list: z.array(z.string()).max(1),
  details: z.strictObject({ url: z.string().min(2) }),
})

function issuesOf(value: unknown): string[] {
  const parsed = Schema.safeParse(value, { error: inputSentence })
  if (parsed.success) return []
  const { issues = [] } = ValidationError.fromZod(parsed.error)
  return issues.map(({ path, message }) => `${path} ${message}`)
}

it('names every field that is wrong, in words to be read after its name', () => {
  expect(
    issuesOf({ count: 11, choice: 2, flag: 'x', name: 'long', list: ['a', 'b'], details: { url: '', x: 1 } }),
  ).toEqual([
    'count must be at most 10',
    'choice must be one of 0, 1',
    'flag must be true or false',
    'name must be short',
    'list must have at most 1 items',
    'details.url must have at least 2 characters',
    'details.x is not a known field',
  ])
  expect(issuesOf({ count: 1.5, choice: 0, flag: null, name: 5, list: {}, details: [] })).toEqual([
    'count must be a whole number',
    'flag must be true or false',
    'name must be a string',
    'list must be a list',
    'details must be an object',
  ])
})

it('calls required only what is not there', () => {
  expect(issuesOf({ count: null, details: {} })).toEqual([
    'count must be a number',
    'choice is required',
    'flag is required',
    'name is required',
    'list is required',
    'details.url is required',
  ])
})
