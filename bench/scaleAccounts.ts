import { Subscriptions } from '@remit/contracts/Subscriptions'
import { callOf, mineBlock } from '@remit/devchain/testing/chain/block'
import { DETAILS, Frequency, protocolOn, tupleOf, units } from '@remit/testing/support/chain/protocolOn'
import { takeDeployedChain } from '@remit/testing/support/chain/takeDeployedChain'
import { exchange } from '@remit/testing/support/service/exchange'
import { indexed } from '@remit/testing/support/service/indexed'
import { startTestService } from '@remit/testing/support/service/testService'
import { maxUint256, parseEventLogs } from 'viem'
import * as z from 'zod'
import { median } from './print.ts'

// The answers about one wallet over HTTP, by how many subscriptions it has: made by transactions, since the index answers where
// the contract's view is too large for the node.

const CALLS_IN_A_BLOCK = 25
const ROUNDS = 5
const WARM = 10

/** What one answer took. */
export interface AnswerCosts {
  readonly cold: number
  readonly warm: number
  readonly questions: number
  readonly bytes: number
}

export const PAGES = {
  'an account’s first page': '/accounts/:address',
  'its subscriptions’ first page': '/accounts/:address/subscriptions?bySubscriber=true',
} as const

/** @param gasLimit of a call, as the node caps it */
export async function accountCosts(
  size: number,
  path: string,
  gasLimit: bigint,
  timestamp: number,
): Promise<AnswerCosts> {
  const node = await takeDeployedChain({ timestamp, gasLimit, isNew: true })
  const { client, deployment, wallets } = node
  const { contract: address, tokens } = deployment
  const chain = { ...node, contract: address, tokens }
  const protocol = protocolOn({ client, wallets, tokens, contract: address })
  await protocol.fund(tokens.usdc, wallets.alice, { balance: 10n ** 18n, allowance: maxUint256 })
  const target = { address, abi: Subscriptions.abi }
  const terms = [units('1'), tokens.usdc, DETAILS, Frequency.WEEKLY, 3] as const
  for (let made = 0; made < size; made += CALLS_IN_A_BLOCK) {
    const many = Array.from({ length: Math.min(CALLS_IN_A_BLOCK, size - made) })
    const receipts = await mineBlock(
      client,
      many.map(() => callOf(wallets.provider, target, 'createSubscription', terms)),
    )
    const logs = receipts.flatMap((receipt) => receipt.logs)
    const created = parseEventLogs({ abi: Subscriptions.abi, logs, eventName: 'SubLog' })
    await mineBlock(
      client,
      created.map(({ args }) => callOf(wallets.alice, target, 'subscribe', [tupleOf(args.id)])),
    )
  }
  const service = await startTestService([chain])
  try {
    const at = `${service.url}${path.replace(':address', wallets.alice)}`
    const cold: number[] = []
    const warm: number[] = []
    const asked: number[] = []
    let bytes = 0
    for (let round = 0; round < ROUNDS; round += 1) {
      await client.mine({ blocks: 1 })
      await service.caughtUp()
      await indexed(service, chain)
      for (let call = 0; call <= WARM; call += 1) {
        const begun = performance.now()
        const { status, text } = await exchange(at)
        const times = call === 0 ? cold : warm
        times.push(performance.now() - begun)
        if (status !== 200) throw new Error(`${path}: ${status} ${text}`)
        bytes = text.length
        if (call === 0) asked.push(questionsOf(service.logged.at(-1)))
      }
    }
    return { cold: median(cold), warm: median(warm), questions: median(asked), bytes }
  } finally {
    await service.close()
    await node.stop()
  }
}

const Facts = z.object({ upstreamRequests: z.number() })

function questionsOf(line = ''): number {
  return Facts.parse(JSON.parse(line.slice(line.indexOf('{')))).upstreamRequests
}
