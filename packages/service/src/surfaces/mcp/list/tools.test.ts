import { defineOperation } from '@remit/engine/declare/operation'
import { Address } from '@remit/engine/schema/hex'
import { Uint256 } from '@remit/engine/schema/numbers'
import { expect, it } from 'vitest'
import * as z from 'zod'
import { defineServiceOperation } from '../../../calls/serviceOperation.ts'
import { toTool } from './toolSets.ts'

const declared = { effect: 'read', kind: 'chain', access: 'read', summary: 'One thing' } as const

it('describes a tool as its operation is declared', () => {
  const operation = defineOperation({
    ...declared,
    name: 'get_thing_of_owner',
    description: 'Only things that are there.',
    rest: { method: 'GET', path: '/things/:owner' },
    input: z.object({ owner: Address.describe('Whose thing.') }),
    output: z.object({ amountRaw: Uint256 }),
    handle: async () => ({ amountRaw: 1n }),
  })
  expect(toTool(operation)).toMatchInlineSnapshot(`
    {
      "annotations": {
        "destructiveHint": false,
        "idempotentHint": true,
        "openWorldHint": true,
        "readOnlyHint": true,
      },
      "description": "One thing. Only things that are there.",
      "inputSchema": {
        "properties": {
          "chainId": {
            "type": "string",
          },
          "minBlock": {
            "type": "integer",
          },
          "owner": {
            "description": "Whose thing.",
            "type": "string",
          },
        },
        "required": [
          "owner",
        ],
        "type": "object",
      },
      "name": "get_thing_of_owner",
      "outputSchema": {
        "properties": {
          "amountRaw": {
            "type": "string",
          },
        },
        "type": "object",
      },
    }
  `)
})

it('takes minBlock wherever a chain is asked, and calls a closed world closed', () => {
  const prepare = defineOperation({
    ...declared,
    name: 'prepare_thing',
    effect: 'prepare',
    rest: { method: 'POST', path: '/prepare/thing' },
    input: z.object({}),
    output: z.object({}),
    handle: async () => ({}),
  })
  const own = defineServiceOperation({
    ...declared,
    name: 'list_things',
    access: 'read',
    rest: null,
    input: z.object({}),
    output: z.object({}),
    handle: async () => ({}),
  })
  expect(Object.keys(toTool(prepare).inputSchema.properties ?? {})).toEqual(['chainId', 'minBlock'])
  expect(Object.keys(toTool(own).inputSchema.properties ?? {})).toEqual(['chainId'])
  expect(toTool(prepare).annotations?.openWorldHint).toBe(true)
  expect(toTool(own).annotations?.openWorldHint).toBe(false)
})
