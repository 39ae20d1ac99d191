import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import * as z from 'zod'

export const FILE = 'calldata-recurring-payments.json'
export const text = readFileSync(fileURLToPath(new URL(`../../erc7730/${FILE}`, import.meta.url)), 'utf8')

const Descriptor = z.looseObject({
  context: z.object({
    contract: z.object({ deployments: z.array(z.object({ chainId: z.int(), address: z.string() })) }),
  }),
  display: z.object({ formats: z.record(z.string(), z.looseObject({ fields: z.array(z.looseObject({})) })) }),
})
const { context, display } = Descriptor.parse(JSON.parse(text))

export const { deployments } = context.contract
export const signatures = Object.keys(display.formats)
