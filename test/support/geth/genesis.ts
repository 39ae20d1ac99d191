import { Multicall3 } from '@remit/contracts/Multicall3'
import { MULTICALL3_ADDRESS } from '@remit/devchain/testing/chain/deploy'
import { type Address, numberToHex, parseEther } from 'viem'
import * as z from 'zod'
import { signerOf } from '../wallets/signerOf.ts'

export interface GenesisOptions {
  readonly chainId: number
  /** Unix time of the genesis block. */
  readonly timestamp: number
  /** Of a block. */
  readonly gasLimit: number
  /** Accounts that are there from the start, with their code and storage. */
  readonly alloc?: Readonly<Record<string, object>>
}

/** The wallets that hold gas money, as on the dev chain. */
const WALLETS = 12

/** What geth prints as the genesis of its development chain: it has the contracts that the protocol itself calls. */
const DevGenesis = z.looseObject({
  config: z.looseObject({
    osakaTime: z.literal(0),
    blobSchedule: z.looseObject({ prague: z.looseObject({}) }),
  }),
  alloc: z.record(z.string(), z.unknown()),
})

/** The accounts of the test mnemonic, which anvil holds too. */
export function testAccounts() {
  return Array.from({ length: WALLETS }, (_, index) => signerOf(index))
}

/** A genesis with Osaka's rules and none that come after, the test mnemonic's wallets and Multicall3. */
export function genesisOf(
  devGenesis: unknown,
  { chainId, timestamp, gasLimit, alloc: given }: GenesisOptions,
) {
  const { config, alloc, ...rest } = DevGenesis.parse(devGenesis)
  const { bogotaTime: _, ...osaka } = config
  const { prague } = config.blobSchedule
  const balance = numberToHex(parseEther('10000'))
  const funded = testAccounts().map(({ address }): [Address, object] => [address, { balance }])
  return {
    ...rest,
    config: { ...osaka, chainId, blobSchedule: { ...config.blobSchedule, osaka: prague } },
    timestamp: numberToHex(timestamp),
    gasLimit: numberToHex(gasLimit),
    alloc: {
      ...alloc,
      ...Object.fromEntries(funded),
      [MULTICALL3_ADDRESS]: { balance: '0x0', code: Multicall3.deployedBytecode },
      ...given,
    },
  }
}
