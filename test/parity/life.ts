import type { Operation } from '@remit/service/testing/calls/serviceOperation'
import type { Address, Hex } from 'viem'
import * as z from 'zod'
import { protocolOn } from '../support/chain/protocolOn.ts'
import { type TestChain, useTestChain } from '../support/chain/useTestChain.ts'
import { signedPermit, signedTopUp } from '../support/wallets/signedPermit.ts'
import { signerOf } from '../support/wallets/signerOf.ts'
import type { Input } from './surfaces.ts'

/** A chain on which every operation has something to answer, and the inputs that it answers to. */
export interface Life {
  readonly chain: TestChain
  readonly subscriptionId: Hex
  /** The input that fits, by the names that fields have everywhere. */
  sample(operation: Operation): Input
}

/** What some operations need beside their required fields, or in place of what others have there. */
const CHOSEN: Readonly<Record<string, Input>> = {
  // A page of a tool is shorter where nobody says how long it is.
  get_account_outlook: { days: 28 },
  // Her allowance lasts for a hundred charges.
  prepare_extend_coverage: { approvalPeriods: 120 },
}

const Required = z.looseObject({ required: z.array(z.string()).optional() })

/** Such a chain for this test file. */
export async function useLife(): Promise<Life> {
  return beginLife(await useTestChain())
}

/** A subscription that is subscribed to, and a day later than it was due. */
export async function beginLife(chain: TestChain): Promise<Life> {
  const { wallets, tokens } = chain
  const protocol = protocolOn(chain)
  const subscription = await protocol.create()
  await protocol.join(subscription, wallets.alice, { allowance: 1_000_000_000n })
  const block = await chain.client.getBlock()
  // Not who carries it: a node that runs a batch as the code of its sender takes its signatures for a contract's.
  const payer = signerOf(5)
  for (const account of [wallets.bob, payer.address]) {
    await protocol.fund(tokens.usdc, account, { balance: 100_000_000n })
  }
  await chain.advanceDays(3)
  const carried = await signedPermit(chain, {
    token: tokens.usdc,
    signer: signerOf(3),
    value: 2_000_000_000n,
  })
  const given = await signedTopUp(chain, {
    token: tokens.usdc,
    signer: payer,
    account: wallets.alice,
    value: 10_000_000n,
  })
  await chain.keep()

  const values: Input = {
    id: subscription.id,
    from: wallets.bob,
    address: wallets.alice,
    subscriber: wallets.alice,
    provider: wallets.provider,
    token: tokens.usdc,
    txHash: firstOf(block.transactions),
    logIndex: 0,
    label: 'the shop',
    to: '2026-04-01',
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
    subscriptionId: subscription.id,
    audience: 'https://shop.example',
    eventId: `evt_${'e'.repeat(40)}`,
    since: 1_772_409_600,
    message: 'Let me in.',
    signature: `0x${'5'.repeat(130)}`,
    misc: '',
  }
  /** Who can do what: bob where nothing else is said, who has tokens and no subscription. */
  const signers: readonly (readonly [name: RegExp, signer: Address])[] = [
    [/^prepare_(cancel|edit|unsubscribe_by_provider)/, wallets.provider],
    [/^prepare_(unsubscribe|revoke|extend)/, wallets.alice],
  ]
  const signed: Readonly<Record<string, Input>> = {
    prepare_carry_permit: carried,
    prepare_top_up: { account: wallets.alice, value: '10000000' },
    prepare_carry_top_up: given,
    offer_rescue: { ...carried, provider: wallets.provider },
    withdraw_rescue: { id: `rescue_${'0'.repeat(32)}` },
  }
  const dated = /_revenue$/
  const requiredOf = new Map<Operation, readonly string[]>()
  return {
    chain,
    subscriptionId: subscription.id,
    sample(operation) {
      const signer = signers.find(([name]) => name.test(operation.name))?.[1]
      const from = dated.test(operation.name) ? '2026-03-01' : signer
      const own: Input = {
        ...values,
        ...(from === undefined ? {} : { from }),
        ...(operation.audience === 'developers' ? { id: WEBHOOK_ID } : {}),
      }
      const required = requiredOf.get(operation) ?? requiredIn(operation)
      requiredOf.set(operation, required)
      const chosen = signed[operation.name] ?? CHOSEN[operation.name]
      const fit: Input = { ...own, ...chosen }
      const fields = required.map((name) => {
        if (!(name in fit)) throw new Error(`Say in ${import.meta.filename} what "${name}" is in a fit input`)
        return [name, fit[name]]
      })
      return { ...Object.fromEntries(fields), ...chosen }
    },
  }
}

function requiredIn({ input }: Operation): readonly string[] {
  return Required.parse(z.toJSONSchema(input, { io: 'input' })).required ?? []
}

function firstOf(hashes: readonly Hex[]): Hex {
  const [hash] = hashes
  if (hash === undefined) throw new Error('The block has no transaction')
  return hash
}

/** A webhook that nobody has made. */
const WEBHOOK_ID = `wh_${'0'.repeat(32)}`

/** An address that nobody on the chain has, in lower case. */
export const STRANGE_ADDRESS: Address = '0x00000000000000000000000000000000deadbeef'
export const STRANGE_ID: Hex = `0x${'de'.repeat(32)}`
