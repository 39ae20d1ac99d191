import { Chains } from '@remit/engine/chain/Chains'
import { ChainEntry } from '@remit/engine/chain/registry'
import { makeAt, prepareAt } from '@remit/engine/declare/chainAnswers'
import { decode } from '@remit/engine/declare/codec'
import type { ChainOperation } from '@remit/engine/declare/operation'
import { prepareSubscribe } from '@remit/engine/operations/prepare/subscribe/prepareSubscribe'
import { getProtocolState } from '@remit/engine/operations/protocol/getProtocolState'
import { getSubscription } from '@remit/engine/operations/subscriptions/getSubscription'

export interface Question {
  readonly chainId: number
  readonly contract: string
  readonly url: string
  readonly tokens: readonly string[]
  readonly subscriptionId: string
  readonly from: string
}

/** Reads a chain's state and prepares a subscription on it. Gives the answers as JSON. It is bundled and run anywhere. */
export async function askAnywhere({ chainId, contract, url, tokens, subscriptionId: id, from }: Question) {
  const entry = ChainEntry.parse({
    chainId,
    contractAddress: contract,
    name: 'Test chain',
    rpcUrls: [url],
    tokens,
    pollMs: 60_000,
    devChain: true,
  })
  const log = { info() {}, warn() {}, error() {} }
  const chains = new Chains({ entries: [entry], defaultChainId: chainId, log, wallNow: () => 0 })
  const requestId = '00000000-0000-4000-8000-000000000000'
  const passes = { graceDays: 0, issue: refuse, keys: refuse }
  const answered = (operation: ChainOperation, input: object) =>
    chains.withView(chainId, {}, async (chain) => {
      const asked = decode(operation, { input }, 'free')
      const { declaration } = operation
      if (declaration.kind === 'prepare') return prepareAt({ requestId, chain }, operation, asked)
      const context = { requestId, lane: 'free', signal: undefined, passes, askIndex: refuse, chain } as const
      return makeAt(context, operation, declaration, asked)
    })
  const answers = [
    await answered(getProtocolState, {}),
    await answered(getSubscription, { id }),
    await answered(prepareSubscribe.byId, { id, from }),
  ]
  return answers.map((answer) => answer.json())
}

async function refuse(): Promise<never> {
  throw new Error('there is nothing here but a chain')
}
