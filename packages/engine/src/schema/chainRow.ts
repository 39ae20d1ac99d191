import * as z from 'zod'
import { ChainId } from './chainId.ts'

/** One chain of the registry, as callers read it at run time. */
export const ChainRow = z
  .object({
    chainId: ChainId,
    caip2: z.string().describe('The id as CAIP-2: eip155:<id>.'),
    name: z.string(),
    rest: z.boolean().describe('Whether protocol routes serve it.'),
    mcp: z.boolean().describe('Whether tools serve it.'),
    default: z.boolean().describe('Used where no chainId is given.'),
  })
  .meta({ id: 'Chain' })

export type ChainRow = Readonly<z.output<typeof ChainRow>>
