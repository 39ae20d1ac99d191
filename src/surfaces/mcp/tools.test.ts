import { expect, it } from 'vitest'
import * as z from 'zod'
import { defineOperation } from '../../core/operation.ts'
import { Address } from '../../schema/address.ts'
import { Uint256 } from '../../schema/numbers.ts'
import { toTool } from './tools.ts'

const declared = { effect: 'read', scope: 'chain', summary: 'One thing' } as const

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
        "title": "Get thing of owner",
      },
      "description": "One thing. Only things that are there.",
      "inputSchema": {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "additionalProperties": false,
        "properties": {
          "chainId": {
            "anyOf": [
              {
                "description": "Chain to use, as decimal ("8453") or CAIP-2 ("eip155:8453"). Default: the default chain.",
                "pattern": "^(eip155:)?[1-9]\\d{0,15}$",
                "type": "string",
              },
              {
                "description": "The same as a number.",
                "exclusiveMinimum": 0,
                "maximum": 9007199254740991,
                "type": "integer",
              },
            ],
          },
          "minBlock": {
            "description": "Wait up to 2 s until this block has been seen, so that a wallet reads its own writes.",
            "maximum": 9007199254740991,
            "minimum": 0,
            "type": "integer",
          },
          "owner": {
            "description": "Whose thing.",
            "pattern": "^0x[0-9a-fA-F]{40}$",
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
        "$defs": {
          "AsOf": {
            "properties": {
              "blockHash": {
                "description": "Block hash: 32 bytes as 0x-prefixed hex.",
                "pattern": "^0x[0-9a-fA-F]{64}$",
                "type": "string",
              },
              "blockNumber": {
                "maximum": 9007199254740991,
                "minimum": 0,
                "type": "integer",
              },
              "timestamp": {
                "description": "Unix time in seconds.",
                "maximum": 9007199254740991,
                "minimum": 0,
                "type": "integer",
              },
            },
            "required": [
              "blockNumber",
              "blockHash",
              "timestamp",
            ],
            "type": "object",
          },
          "Warning": {
            "additionalProperties": {},
            "description": "A non-fatal hint, with facts beside its code.",
            "properties": {
              "code": {
                "type": "string",
              },
              "message": {
                "type": "string",
              },
            },
            "required": [
              "code",
              "message",
            ],
            "type": "object",
          },
        },
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "properties": {
          "amountRaw": {
            "pattern": "^(0|[1-9]\\d{0,77})$",
            "type": "string",
          },
          "asOf": {
            "$ref": "#/$defs/AsOf",
          },
          "chainId": {
            "description": "EIP-155 chain id.",
            "exclusiveMinimum": 0,
            "maximum": 9007199254740991,
            "type": "integer",
          },
          "warnings": {
            "description": "Only where there is something to mind.",
            "items": {
              "$ref": "#/$defs/Warning",
            },
            "type": "array",
          },
        },
        "required": [
          "amountRaw",
          "chainId",
          "asOf",
        ],
        "type": "object",
      },
      "title": "Get thing of owner",
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
  const own = defineOperation({
    ...declared,
    name: 'list_things',
    scope: 'service',
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
