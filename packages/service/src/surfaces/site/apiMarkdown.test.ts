import { DEFAULT_LIMITS } from '@remit/engine/declare/lanes'
import { smallChains, smallOperations, smallService } from '@remit/testing/support/app/smallApp'
import { describe, expect, it } from 'vitest'
import { operations } from '../../operations/index.ts'
import { apiMarkdown } from './apiMarkdown.ts'

const service = smallService(smallChains(), {
  version: '1.2.3',
  publicUrl: 'https://remit.test',
  limits: { free: DEFAULT_LIMITS.free, developer: null },
})
const markdown = apiMarkdown(operations, service)
const sections = markdown.split(/^## /m).slice(1)

describe('the reference as Markdown', () => {
  it('has a section for every operation, in the order of the list, and one for types', () => {
    const headings = sections.map((section) => section.split('\n')[0])
    const listed = operations.map(({ name, rest }) =>
      rest === null ? `Tool ${name}` : `${rest.method} ${rest.path}`,
    )
    expect(headings).toEqual([...listed, 'Types'])
  })

  it('names every field of every input', () => {
    for (const [index, { input }] of operations.entries()) {
      for (const name of Object.keys(input.shape)) expect(sections[index]).toContain(`| \`${name}\` |`)
    }
  })

  it('names every error that an operation declares, its tool and what it takes', () => {
    for (const [index, { errors, name, buckets }] of operations.entries()) {
      for (const { status, code } of errors) expect(sections[index]).toContain(`- ${status} \`${code}\``)
      expect(sections[index]).toContain(`Operation \`${name}\``)
      for (const bucket of buckets) expect(sections[index]).toContain(bucket)
    }
  })

  it('describes every type that it names', () => {
    const types = new Set([...markdown.matchAll(/^### (\w+)$/gm)].map(([, name]) => name))
    const named = [...markdown.matchAll(/(?:list of |` |: |or )([A-Z][a-z]\w+)(?=[,;}]| \||$| or )/gm)]
    expect(named.length).toBeGreaterThan(50)
    for (const [, name] of named) expect(types).toContain(name)
  })

  it('reads like this', () => {
    const search = smallOperations.filter(({ name }) => name === 'search_things' || name === 'get_thing')
    const [, ...rendered] = apiMarkdown(search, service).split(/^(?=## )/m)
    expect(rendered.join('')).toMatchInlineSnapshot(`
      "## GET /things/:id

      One thing by its id. The id ends in 9 for a chain that fails.

      | field | in | type | required |  |
      | --- | --- | --- | --- | --- |
      | \`id\` | path | string | yes | Subscription id: 32 bytes as 0x-prefixed hex. |

      - Operation \`get_thing\`; a tool too
      - Metered, no bucket
      - 404 \`NOT_FOUND\`: the subscription does not exist on the chain
      - Answer: \`id\` string, \`amountRaw\` string, \`latencyMs\` number, \`warnings?\` list of Warning, \`chainId\` integer, \`asOf\` AsOf

      ## GET /things

      Things by their marks.

      | field | in | type | required |  |
      | --- | --- | --- | --- | --- |
      | \`first\` | query | integer |  |  |
      | \`frequency\` | query | 0 or 1 or 2 or 3 |  |  |
      | \`cancelled\` | query | boolean |  |  |
      | \`owner\` | query | string |  |  |

      - Operation \`search_things\`; a tool too
      - Metered, no bucket
      - Answer: \`heard\` object, \`error?\` string, \`warnings?\` list of Warning, \`chainId\` integer, \`asOf\` AsOf

      ## Types

      What answers are made of.

      ### AsOf

      | field |  |
      | --- | --- |
      | \`blockNumber\` integer |  |
      | \`blockHash\` string | Block hash: 32 bytes as 0x-prefixed hex. |
      | \`timestamp\` integer | Unix time in seconds. |

      ### Warning

      | field |  |
      | --- | --- |
      | \`code\` WarningCode |  |
      | \`message\` string |  |

      ### WarningCode

      | field |  |
      | --- | --- |
      | \`BACKLOG_CHARGE\`  |  |
      | \`FORECAST_CUT\`  |  |
      | \`SEARCH_CUT\`  |  |
      | \`TRANSFER_LOGS_DIFFER\`  |  |
      | \`TOKEN_TAKES_MORE\`  |  |
      | \`REMIT_STALLED\`  |  |
      | \`REMIT_BLOCKED_BY_TRANSFER\`  |  |
      | \`TRANSACTION_GAS_CAP\`  |  |
      | \`BALANCE_SHORT\`  |  |
      | \`SHORTENS_COVERAGE\`  |  |
      | \`DAY_ENDS_SOON\`  |  |
      | \`ALLOWANCE_REMAINS\`  |  |
      | \`ALLOWANCE_RESET\`  |  |
      | \`PERMIT_LOWERS_ALLOWANCE\`  |  |
      | \`PERMIT_OUTSTANDING\`  |  |
      | \`INSUFFICIENT_GAS_FUNDS\`  |  |
      | \`REMIT_NEEDS_MORE_TRANSACTIONS\`  |  |
      | \`SIMULATION_PARTIAL\`  |  |
      | \`GAS_HEURISTIC\`  |  |
      | \`ESTIMATE_ADDRESS_REVERTS\`  |  |
      | \`TOKEN_DECIMALS_MISMATCH\`  |  |
      "
    `)
    expect(apiMarkdown([], service)).toContain('| `globalRpm` | 20 | none |')
  })
})
