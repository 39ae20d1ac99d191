import type { Address, Hex } from 'viem'
import * as z from 'zod'
import type { Operation } from '../../src/core/operation.ts'
import { protocolOn } from '../support/chain/protocolOn.ts'
import { type TestChain, useTestChain } from '../support/chain/useTestChain.ts'
import type { Input } from './surfaces.ts'

/** A chain on which every operation has something to answer, and the inputs that it answers to. */
export interface Life {
  readonly chain: TestChain
  readonly subscriptionId: Hex
  /** The input that fits, by the names that fields have everywhere. */
  sample(operation: Operation): Input
}

const Required = z.looseObject({ required: z.array(z.string()).optional() })

/** A subscription that is subscribed to, and a day later than it was due. */
export async function useLife(): Promise<Life> {
  const chain = await useTestChain()
  const { wallets, tokens } = chain
  const protocol = protocolOn(chain)
  const subscription = await protocol.create()
  await protocol.join(subscription, wallets.alice)
  const block = await chain.client.getBlock()
  await protocol.fund(tokens.usdc, wallets.bob, { balance: 100_000_000n })
  await chain.advanceDays(3)
  await chain.keep()

  const values: Input = {
    id: subscription.id,
    from: wallets.bob,
    address: wallets.alice,
    subscriber: wallets.alice,
    token: tokens.usdc,
    txHash: firstOf(block.transactions),
    amount: '10.5',
    details: { url: 'https://provider.example', description: 'A plan' },
    frequency: 1,
    dueDay: 15,
    subscription: {
      id: subscription.id,
      amount: '10',
      provider: wallets.provider,
      token: tokens.usdc,
      frequency: subscription.frequency,
      dueDay: subscription.dueDay,
    },
    description: 'Sells plans',
    company: 'Plans',
    url: 'https://provider.example',
    domain: 'provider.example',
    email: 'mail@provider.example',
    subjectId: 'ada',
    misc: '',
  }
  /** Who can do what: bob where nothing else is said, who has tokens and no subscription. */
  const signers: readonly (readonly [name: RegExp, signer: Address])[] = [
    [/^prepare_(cancel|edit|unsubscribe_by_provider)/, wallets.provider],
    [/^prepare_(unsubscribe|revoke)/, wallets.alice],
  ]
  return {
    chain,
    subscriptionId: subscription.id,
    sample(operation) {
      const signer = signers.find(([name]) => name.test(operation.name))?.[1]
      const own: Input = signer === undefined ? values : { ...values, from: signer }
      const { required = [] } = Required.parse(z.toJSONSchema(operation.input, { io: 'input' }))
      return Object.fromEntries(
        required.map((name) => {
          if (!(name in own))
            throw new Error(`Say in ${import.meta.filename} what "${name}" is in a fit input`)
          return [name, own[name]]
        }),
      )
    },
  }
}

function firstOf(hashes: readonly Hex[]): Hex {
  const [hash] = hashes
  if (hash === undefined) throw new Error('The block has no transaction')
  return hash
}

/** An address that nobody on the chain has, in lower case. */
export const STRANGE_ADDRESS: Address = '0x00000000000000000000000000000000deadbeef'
export const STRANGE_ID: Hex = `0x${'de'.repeat(32)}`
