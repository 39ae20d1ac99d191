import * as z from 'zod'
import type { ChainRow as RegistryRow } from '../../core/ports/chains.ts'
import { ChainId, caip2 } from '../../schema/chainId.ts'

/** One chain of the registry, as callers read it at run time. */
export const ChainRow = z
  .object({
    chainId: ChainId,
    caip2: z.string().describe('The same as CAIP-2: eip155:<id>.'),
    name: z.string(),
    rest: z.boolean().describe('Protocol routes may name it.'),
    mcp: z.boolean().describe('Tools may name it.'),
    default: z.boolean().describe('Used where no chainId is given.'),
  })
  .meta({ id: 'Chain' })

export function toChainRow(row: RegistryRow): z.output<typeof ChainRow> {
  return { ...row, caip2: caip2(row.chainId) }
}
