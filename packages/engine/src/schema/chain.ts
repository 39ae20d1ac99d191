import * as z from 'zod'

/** A chain as callers name it: decimal ("8453") or CAIP-2 ("eip155:8453"). */
export const ChainIdParam = z
  .codec(
    z
      .string()
      .regex(/^(eip155:)?[1-9]\d{0,15}$/, 'must be a decimal chain id or CAIP-2, such as eip155:8453'),
    z.int().positive(),
    {
      decode: (text) => Number(text.replace('eip155:', '')),
      encode: (chainId) => String(chainId),
    },
  )
  .describe('Chain to use, as decimal ("8453") or CAIP-2 ("eip155:8453"). Default: the default chain.')

export const ChainId = z.int().positive().describe('EIP-155 chain id.')

export function caip2(chainId: number): string {
  return `eip155:${chainId}`
}

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
