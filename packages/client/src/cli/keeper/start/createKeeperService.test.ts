import { expect, it } from 'vitest'
import { OwnWrites } from '../../../request/freshCaller.ts'
import { ServiceFaultError } from '../ports.ts'
import { createKeeperService } from './createKeeperService.ts'

const MIDNIGHT = 20_515 * 86_400

it('names the new day’s block to a service that is behind at midnight, and takes it for a passing fault', async () => {
  const chainId = 31_337
  const ownWrites = new OwnWrites(() => 0)
  const client = {
    prepareRemit: async () => ({ chainId, asOf: { blockNumber: 100 }, warnings: [], validUntil: MIDNIGHT }),
  }
  const service = createKeeperService(
    // Safe: it is asked for nothing else.
    client as never,
    {
      chainId,
      account: '0x5FbDB2315678afecb367f032d93F642f64180aa3',
      call: { functionName: 'remit', to: '0x5FbDB2315678afecb367f032d93F642f64180aa3', data: '0x' },
      reads: { head: async () => ({ blockNumber: 101, timestamp: MIDNIGHT + 1 }) },
      ownWrites,
      signal: AbortSignal.timeout(10_000),
    },
  )
  await expect(service.prepareRemit(() => {})).rejects.toBeInstanceOf(ServiceFaultError)
  expect(ownWrites.minBlock(chainId)).toBe(101)
})
