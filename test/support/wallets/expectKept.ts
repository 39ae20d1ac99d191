import type { Address, LocalAccount, TransactionReceipt } from 'viem'
import { expect } from 'vitest'
import * as z from 'zod'
import { protocolOn } from '../chain/protocolOn.ts'
import type { TestChain } from '../chain/useTestChain.ts'
import type { TestService } from '../service/testService.ts'
import { signAndSend } from './signAndSend.ts'

const Events = z.array(z.looseObject({ args: z.record(z.string(), z.unknown()) }))
const Promised = z.object({
  simulation: z.object({
    calls: z.array(z.object({ events: Events })),
    balanceChanges: z.array(
      z.object({ account: z.string(), token: z.object({ address: z.string() }), amountRaw: z.string() }),
    ),
  }),
  gasEstimates: z.array(z.object({ gasLimit: z.string() })),
})

/**
 * Signs and sends what was prepared, and finds the chain as the simulation promised it: every transaction
 * succeeds within its gas, with the same events but for their times, and the same balances change by as much.
 * @param tokens that may move beside the chain's own
 */
export async function expectKept(
  { chain, service, signer }: { chain: TestChain; service: TestService; signer: LocalAccount },
  prepared: { readonly body: Record<string, unknown> },
  tokens: readonly Address[] = [],
): Promise<TransactionReceipt[]> {
  const { simulation, gasEstimates } = Promised.parse(prepared.body)
  const moving = [...Object.values(chain.tokens), ...tokens]
  const before = await balances(chain, moving)
  const { hashes, receipts } = await signAndSend(chain, signer, prepared.body)
  expect(receipts.map(({ status }) => status)).toEqual(receipts.map(() => 'success'))
  for (const [index, { gasUsed }] of receipts.entries()) {
    expect(gasUsed).toBeLessThanOrEqual(BigInt(gasEstimates[index]?.gasLimit ?? 0))
  }

  const after = await balances(chain, moving)
  const changes = [...after].flatMap(([place, balance]) => {
    const change = balance - (before.get(place) ?? 0n)
    return change === 0n ? [] : [`${place} ${change}`]
  })
  const promised = simulation.balanceChanges.map(
    ({ account, token, amountRaw }) => `${account} ${token.address} ${amountRaw}`,
  )
  expect(changes.toSorted()).toEqual(promised.toSorted())

  await service.caughtUp()
  for (const [index, txHash] of hashes.entries()) {
    const { body } = await service.post('/transactions/status', { txHash })
    const { events } = z.object({ events: Events }).parse(body)
    expect(events.map(withoutTime)).toEqual(simulation.calls[index]?.events.map(withoutTime))
  }
  return receipts
}

async function balances(chain: TestChain, tokens: readonly Address[]): Promise<Map<string, bigint>> {
  const protocol = protocolOn(chain)
  const rows = tokens.flatMap((token) =>
    [...Object.values(chain.wallets), chain.contract].map(
      async (account) => [`${account} ${token}`, await protocol.balanceOf(token, account)] as const,
    ),
  )
  return new Map(await Promise.all(rows))
}

/** The time of the block that mines it is nobody's to promise. */
function withoutTime({ args: { timestamp: _, ...args }, ...event }: z.output<typeof Events>[number]) {
  return { ...event, args }
}
