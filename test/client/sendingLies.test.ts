import { encodeFunctionData, erc20Abi, type Hex, maxUint256 } from 'viem'
import { describe, expect, it } from 'vitest'
import type { Client } from '../../client/src/createClient.ts'
import { subscriptionsAbi } from '../../client/src/generated/abi.ts'
import { TermsDifferError, UnsafeTransactionError } from '../../client/src/sending/errors.ts'
import { type Subscription, tupleOf, units } from '../support/protocol.ts'
import {
  at,
  type Batch,
  DETAILS as details,
  type FlowCase,
  retransact,
  useLyingService,
} from './lyingService.ts'
import { QUICK } from './sendingGround.ts'

const lying = await useLyingService()
const {
  chain,
  api,
  weekly,
  dearer,
  joined,
  cases,
  flowsOver,
  injected,
  apiWith,
  preparedFor,
  refusal,
  approval,
} = lying
const { alice, stranger } = chain.wallets
const { usdc, dai } = chain.tokens
const { subscribe, createSubscription, removeSubscriber, editDetails, revokeAllowance } = cases

const subscribing = (tuple: Subscription, functionName: 'subscribe' | 'unsubscribe' = 'subscribe') =>
  encodeFunctionData({ abi: subscriptionsAbi, functionName, args: [tuple] })

/** Any call, whatever its arguments are said to be. */
function calling(functionName: string, args: readonly unknown[]): Hex {
  const abi: readonly unknown[] = subscriptionsAbi
  return encodeFunctionData({ abi, functionName, args })
}

describe('subscribing over a service that lies', () => {
  const lies: readonly (readonly [lie: string, why: RegExp, change: (batch: Batch) => void])[] = [
    [
      'approves a stranger',
      /approves 0x\w+ and not/,
      at(0, () => approval(130_000_000n, { spender: stranger })),
    ],
    [
      'approves of another token',
      /goes to .* and not to the subscription's token/,
      at(0, () => approval(130_000_000n, { to: dai })),
    ],
    [
      'approves a unit more',
      /approves \d+, and the answer proposes/,
      at(0, ({ data }) => ({ data: raised(data, 1n) })),
    ],
    ['approves without end', /without end, which was not asked for/, at(0, () => approval(maxUint256))],
    [
      'approves and proposes far more than the periods can take',
      /is the most that can be needed/,
      (batch) => {
        if (batch.preflight?.allowance) batch.preflight.allowance.proposed.amountRaw = 10n ** 12n
        at(0, () => approval(10n ** 12n))(batch)
      },
    ],
    [
      'approves too little to last',
      /the periods asked for take 120000000/,
      at(0, () => approval(119_999_999n)),
    ],
    ['lowers the allowance', /lowers the allowance/, at(0, () => approval(1_000_000n))],
    ['approves nothing', /approves nothing/, retransact((all) => all.slice(1))],
    [
      'transfers in place of approving',
      /not a call of approve/,
      at(0, () => ({
        data: encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [stranger, 5n] }),
      })),
    ],
    [
      'approves twice',
      /its amount is \d+, and 0 was asked for/,
      retransact(([first, last]) => [first, first, last].filter((one) => one !== undefined)),
    ],
    [
      'resets after approving',
      /lowers the allowance/,
      retransact(([first, last]) => [first, approval(0n), last].filter((one) => one !== undefined)),
    ],
    ['resets and approves no more', /lowers the allowance/, at(0, () => approval(0n))],
    ['subscribes before approving', /goes to/, retransact((all) => all.toReversed())],
    [
      'subscribes to another subscription',
      /subscription\.id is/,
      at(1, () => ({ data: subscribing(dearer) })),
    ],
    [
      'states another amount',
      /subscription\.amount is/,
      at(1, () => ({ data: subscribing({ ...weekly, amount: units('11') }) })),
    ],
    [
      'states another provider',
      /subscription\.provider is/,
      at(1, () => ({ data: subscribing({ ...weekly, provider: stranger }) })),
    ],
    [
      'states another token',
      /subscription\.token is/,
      at(1, () => ({ data: subscribing({ ...weekly, token: dai }) })),
    ],
    [
      'states another frequency',
      /subscription\.frequency is/,
      at(1, () => ({ data: subscribing({ ...weekly, frequency: 1 }) })),
    ],
    [
      'states another due day',
      /subscription\.dueDay is/,
      at(1, () => ({ data: subscribing({ ...weekly, dueDay: 4 }) })),
    ],
    [
      'states that it is cancelled',
      /subscription\.cancelled is/,
      at(1, () => ({ data: subscribing({ ...weekly, cancelled: true }) })),
    ],
    [
      'leaves the terms out',
      /subscription\.amount is/,
      at(1, () => ({ data: subscribing(tupleOf(weekly.id)) })),
    ],
    [
      'unsubscribes',
      /calls unsubscribe and not subscribe/,
      at(1, () => ({ data: subscribing(weekly, 'unsubscribe') })),
    ],
    ['goes to another contract', /goes to .* and not to/, at(1, () => ({ to: stranger }))],
    [
      'has bytes behind the calldata',
      /bytes that do not belong to subscribe/,
      at(1, ({ data }) => ({ data: `${data}00` })),
    ],
    [
      'has bytes behind the approval',
      /bytes that do not belong to approve/,
      at(0, ({ data }) => ({ data: `${data}${'00'.repeat(32)}` })),
    ],
    ['sends ether along', /sends 1 wei/, at(1, () => ({ value: 1n }))],
    ['is for another chain', /is for chain 1/, at(1, () => ({ chainId: 1 }))],
    ['is from another account', /is from/, at(0, () => ({ from: stranger }))],
    [
      'gives the wallet another list',
      /calls to send together are not/,
      (batch) => batch.eip5792?.calls.reverse(),
    ],
    [
      'gives the wallet a longer list',
      /calls to send together are not/,
      (batch) => batch.eip5792?.calls.push(approval(1n)),
    ],
    ['gives the wallet no list', /lacks the calls/, (batch) => delete batch.eip5792],
    ['does not say until when it holds', /until when/, (batch) => delete batch.validUntil],
    [
      'has held before today only',
      /no longer/,
      (batch) => Object.assign(batch, { validUntil: 1_700_000_000 }),
    ],
    [
      'answers something else altogether',
      /has not the form/,
      (batch) => Object.assign(batch, { unsignedTransactions: [null] }),
    ],
  ]

  it.each(lies)('signs nothing where it %s', async (_, why, change) => {
    expect(await refusal(subscribe, await preparedFor(subscribe), change)).toMatch(why)
  })

  it('signs nothing above the caller’s own limit', async () => {
    const { wallet, signatures } = injected(alice)
    const sent = subscribe.send(flowsOver(api), wallet, { maxApproval: 100_000_000n })
    await expect(sent).rejects.toThrow(/100000000 is the most/)
    expect(signatures()).toEqual([])
  })

  it.each([
    ['amount', { amount: '9' }],
    ['amount', { amount: '10.0000001' }],
    ['provider', { provider: stranger }],
    ['token', { token: dai }],
    ['frequency', { frequency: 1 }],
    ['dueDay', { dueDay: 4 }],
  ])(
    'signs nothing where the chain’s %s is not the one agreed upon, which nobody calls unsafe',
    async (field, agreed) => {
      const { wallet, signatures } = injected(alice)
      const sent = flowsOver(api).subscribe({ id: weekly.id, terms: agreed }).send(wallet, QUICK)
      const failure: unknown = await sent.catch((error: unknown) => error)
      expect(failure).toBeInstanceOf(TermsDifferError)
      expect(failure).toMatchObject({ code: 'TERMS_DIFFER', differences: [{ field }], sent: [] })
      expect(signatures()).toEqual([])
    },
  )

  it('names every term that differs', async () => {
    const { wallet } = injected(alice)
    const terms = { amount: '9.5', dueDay: 4, frequency: 0 }
    await expect(flowsOver(api).subscribe({ id: weekly.id, terms }).send(wallet, QUICK)).rejects.toThrow(
      /nothing was signed: its amount is 10 and not 9.5; its dueDay is 3 and not 4\.$/,
    )
  })
})

describe('the other flows over a service that lies', () => {
  const creation = (
    args: Partial<Record<'amount' | 'token' | 'details' | 'frequency' | 'dueDay', unknown>>,
  ) => {
    const asked = { amount: units('10.5'), token: usdc, details, frequency: 2, dueDay: 90, ...args }
    return calling('createSubscription', Object.values(asked))
  }
  const lies: readonly (readonly [lie: string, flow: FlowCase, data: Hex, why: RegExp])[] = [
    [
      'creates at a tenth of the price',
      createSubscription,
      creation({ amount: units('1.05') }),
      /its amount is/,
    ],
    [
      'creates in the token’s own units',
      createSubscription,
      creation({ amount: 10_500_000n }),
      /its amount is/,
    ],
    ['creates in another token', createSubscription, creation({ token: dai }), /its token is/],
    [
      'creates with another link',
      createSubscription,
      creation({ details: { ...details, url: 'https://evil.example' } }),
      /its details\.url is/,
    ],
    ['creates for another frequency', createSubscription, creation({ frequency: 3 }), /its frequency is/],
    ['creates for another day', createSubscription, creation({ dueDay: 1 }), /its dueDay is/],
    [
      'removes somebody else',
      removeSubscriber,
      calling('unsubscribeByProvider', [joined, stranger]),
      /its subscriber is/,
    ],
    [
      'cancels in place of removing',
      removeSubscriber,
      calling('cancelSubscription', [joined]),
      /calls cancelSubscription and not/,
    ],
    [
      'writes another description',
      editDetails,
      calling('editDetails', [{ ...details, description: 'a plan' }, weekly.id]),
      /its details\.description is/,
    ],
    [
      'describes another subscription',
      editDetails,
      calling('editDetails', [details, dearer.id]),
      /its id is/,
    ],
    [
      'approves in place of revoking',
      revokeAllowance,
      approval(1n).data,
      /its amount is 1, and 0 was asked for/,
    ],
  ]

  it.each(lies)('signs nothing where it %s', async (_, flow, data, why) => {
    const change = at(0, () => ({ data }))
    expect(await refusal(flow, await preparedFor(flow), change)).toMatch(why)
  })
})

describe('which contract is the protocol’s', () => {
  it('is not for the service to say where it is pinned', async () => {
    const elsewhere: Client = {
      ...apiWith(async (prepare) => {
        const batch = await prepare()
        at(0, () => approval(130_000_000n, { spender: stranger }))(batch)
        at(1, () => ({ to: stranger }))(batch)
        return batch
      }),
      getProtocolState: async (...args) => ({
        ...(await api.getProtocolState(...args)),
        contractAddress: stranger,
      }),
    }
    const { wallet, signatures } = injected(alice)
    await expect(subscribe.send(flowsOver(elsewhere), wallet)).rejects.toBeInstanceOf(UnsafeTransactionError)
    expect(signatures()).toEqual([])
  })
})

/** The same approval of so much more. */
function raised(data: Hex, by: bigint): Hex {
  const amount = BigInt(`0x${data.slice(-64)}`) + by
  return `0x${data.slice(2, -64)}${amount.toString(16).padStart(64, '0')}`
}
