import { expect, it } from 'vitest'
import * as z from 'zod'
import { defineServiceOperation } from '../../../calls/serviceOperation.ts'
import { toolSets, toTool } from './toolSets.ts'

const declared = { input: z.object({}), output: z.object({}), summary: 'One thing' } as const
const words = { profiles: ['read'], text: () => 'a thing' } as const

const operations = [
  defineServiceOperation({
    ...declared,
    name: 'get_thing',
    effect: 'read',
    access: 'read',
    rest: null,
    tool: words,
    handle: async () => ({}),
  }),
  defineServiceOperation({
    ...declared,
    name: 'list_events',
    effect: 'read',
    access: 'events',
    rest: { method: 'GET', path: '/events' },
    tool: words,
    handle: async () => ({}),
  }),
  defineServiceOperation({
    ...declared,
    name: 'delete_webhook',
    effect: 'manage',
    access: 'webhook',
    rest: { method: 'DELETE', path: '/developer/webhooks' },
    tool: words,
    handle: async () => ({}),
  }),
]

it('lists tools for developers only to callers who hold a key', () => {
  const sets = toolSets(operations)
  const names = (holdsKey: boolean) => [...sets(undefined, holdsKey).byName.keys()]
  expect(names(false)).toEqual(['get_thing'])
  expect(names(true)).toEqual(['get_thing', 'list_events', 'delete_webhook'])
  expect(sets(['read']).listed.tools.map(({ name }) => name)).toEqual(['get_thing'])
})

it('says of a tool that it changes something', () => {
  const annotations = operations.map((operation) => toTool(operation).annotations)
  expect(annotations.map((hints) => hints?.readOnlyHint)).toEqual([true, true, false])
  expect(annotations.map((hints) => hints?.destructiveHint)).toEqual([false, false, true])
})
