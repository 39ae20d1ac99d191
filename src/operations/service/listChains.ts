import * as z from 'zod'
import { defineOperation } from '../../core/operation.ts'
import { ChainRow } from '../../schema/chainRow.ts'

/** The chains that tools may name. Over REST the catalog says the same. */
export const listChains = defineOperation({
  name: 'list_chains',
  effect: 'read',
  scope: 'service',
  summary: 'Chains of this service, with the one that is used where no chainId is given',
  rest: null,
  tool: {
    profiles: ['read'],
    text: ({ chains }) =>
      chains
        .filter(({ mcp }) => mcp)
        .map((row) => `${row.chainId} ${row.name}${row.default ? ' (default)' : ''}`)
        .join('\n'),
  },
  input: z.object({}),
  output: z.object({ chains: z.array(ChainRow) }),
  async handle({ service }) {
    return { chains: [...service.chains.rows] }
  },
})
