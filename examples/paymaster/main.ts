/** The paymaster alone, where the contracts and a bundler are there already. The README lists what it is told. */
import { type Address, getAddress, type Hex, isAddress, isHex } from 'viem'
import * as z from 'zod'
import { startPaymaster } from './startPaymaster.ts'

const EvmAddress = z
  .custom<Address>((value) => typeof value === 'string' && isAddress(value))
  .transform((address) => getAddress(address))
const Bytes32 = z.custom<Hex>((value) => isHex(value) && value.length === 66)
const Wei = z.string().regex(/^\d+$/).transform(BigInt)

const { RPC_URL, CONTRACT, PLANS, BUDGET_WEI, MOST_WEI_PER_OPERATION, PAYMASTER, FACTORY, ...others } = z
  .object({
    RPC_URL: z.url(),
    CONTRACT: EvmAddress.optional(),
    PLANS: z
      .string()
      .transform((text) => text.toLowerCase().split(','))
      .pipe(z.array(Bytes32)),
    BUDGET_WEI: Wei,
    MOST_WEI_PER_OPERATION: Wei,
    PAYMASTER: EvmAddress,
    FACTORY: EvmAddress,
    SAMPLE_ACCOUNT: EvmAddress,
    SIGNER_KEY: Bytes32,
    LEDGER: z.string().default('ledger.jsonl'),
    NAME: z.string().default('Paymaster'),
    PORT: z.coerce.number().int().min(0).max(65_535).default(4100),
  })
  .parse(process.env)

const url = await startPaymaster({
  rpcUrl: RPC_URL,
  contract: CONTRACT,
  plans: PLANS,
  budgetWei: BUDGET_WEI,
  mostWeiPerOperation: MOST_WEI_PER_OPERATION,
  paymaster: PAYMASTER,
  factory: FACTORY,
  sampleAccount: others.SAMPLE_ACCOUNT,
  signerKey: others.SIGNER_KEY,
  ledger: others.LEDGER,
  name: others.NAME,
  port: others.PORT,
})
console.log(`The paymaster answers at ${url}`)
