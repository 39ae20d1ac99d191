import { createWalletClient, custom, numberToHex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { expect, it } from 'vitest'
import { OwnWrites } from '../../../request/OwnWrites.ts'
import { ServiceFaultError } from '../ports/faults.ts'
import { serviceOf } from './serviceOf.ts'

const account = privateKeyToAccount(`0x${'11'.repeat(32)}`)
const contract = '0x5FbDB2315678afecb367f032d93F642f64180aa3'
const chainId = 31_337
const MIDNIGHT = 20_515 * 86_400

it('names the new day’s block to a service that is behind at midnight, and takes it for a passing fault', async () => {
  const answers: Readonly<Record<string, unknown>> = {
    eth_chainId: numberToHex(chainId),
    eth_getBlockByNumber: { number: '0x65', timestamp: numberToHex(MIDNIGHT + 1), transactions: [] },
  }
  const request = async ({ method }: { method: string }) => answers[method]
  const wallet = createWalletClient({ account, transport: custom({ request }) })
  const ownWrites = new OwnWrites(() => 0)
  const asked: (number | undefined)[] = []
  const client = {
    prepareRemit: async () => {
      asked.push(ownWrites.minBlock(chainId))
      return { chainId, asOf: { blockNumber: 100 }, warnings: [], validUntil: MIDNIGHT }
    },
  }
  const signing = { wallet, account, chainId, contract, options: {} } as const
  const clock = { now: () => (MIDNIGHT + 1) * 1000 }
  // Safe: it is asked for nothing else.
  const service = serviceOf(client as never, { ownWrites, clock, ...signing })
  await expect(service.prepareRemit(() => {})).rejects.toBeInstanceOf(ServiceFaultError)
  expect(asked).toEqual([undefined, 101])
})
