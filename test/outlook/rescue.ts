import { prepareCarryPermit } from '@remit/engine/operations/prepare/permit/prepareCarryPermit'
import { prepareExtendCoverage } from '@remit/engine/operations/prepare/prepareExtendCoverage'
import { prepareRevokeAllowance } from '@remit/engine/operations/prepare/prepareRevokeAllowance'
import { type Address, erc20Abi, type Hex, hashTypedData, isHex, parseEventLogs } from 'viem'
import { expect } from 'vitest'
import * as z from 'zod'
import type { Random } from '../differential/random.ts'
import type { World } from '../differential/world.ts'
import { signAndSend } from '../support/wallets/signAndSend.ts'
import type { Happened, Life } from './live.ts'
import type { openOutlooks } from './outlooksOf.ts'
import { approveOnce, payersWithoutEther } from './shortOfPermission.ts'

type Outlooks = ReturnType<typeof openOutlooks>

const HexText = z.custom<Hex>((value) => isHex(value))
const Raw = z.object({ amountRaw: z.string().transform(BigInt) }).transform(({ amountRaw }) => amountRaw)
const DayNumber = z.object({ dayNumber: z.number() }).transform(({ dayNumber }) => dayNumber)

const Offer = z.object({
  permit: z.object({
    domain: z.record(z.string(), z.unknown()),
    types: z.record(z.string(), z.array(z.object({ name: z.string(), type: z.string() }))),
    primaryType: z.literal('Permit'),
    message: z.looseObject({ owner: z.string(), spender: z.string(), value: z.string() }),
    deadline: z.int(),
    nonce: z.string(),
    digest: HexText,
  }),
})

const Covers = z.object({
  periods: z.int().nullable(),
  until: DayNumber.nullable(),
  limitedBy: z.enum(['allowance', 'balance']).nullable(),
  failsOn: DayNumber.nullable(),
})

const Carrying = z.object({
  preflight: z.object({
    alreadyCarried: z.boolean(),
    allowance: z.object({ before: Raw, after: Raw }),
    subscriptions: z.array(z.object({ id: HexText, after: Covers })),
  }),
  unsignedTransactions: z.array(z.unknown()).optional(),
  warnings: z.array(z.looseObject({ code: z.string() })),
})

/** A signed permit, as it is handed in. */
interface Signed {
  readonly owner: Address
  readonly token: Address
  /** Raw units, decimal. */
  readonly value: string
  readonly deadline: number
  readonly signature: Hex
}

/** How far each subscription of a payer is paid, as carrying has promised. */
export type Promised = z.output<typeof Carrying>['preflight']['subscriptions']

/** What may happen between signing and carrying. */
export const COURSES = {
  plain: 6,
  carriedByAnother: 2,
  approvesMore: 1,
  approvesLess: 1,
  revokes: 2,
  voids: 2,
  runsOut: 2,
}

export type Course = keyof typeof COURSES

export interface Rescue {
  readonly payer: Address
  /** Who carries: the provider of what would fail. */
  readonly provider: Address
  /** Lets a day pass; `undefined` where the charge is too near for that. */
  readonly pass: (() => Promise<void>) | undefined
}

/**
 * The payer signs for more permission, and its provider carries that, in one of several courses. Each ends with the allowance that was
 * signed for, and nothing else has changed.
 */
export async function rescue(
  world: World,
  random: Random,
  outlooks: Outlooks,
  { payer, provider, pass }: Rescue,
): Promise<{ readonly course: Course; readonly promised: Promised }> {
  const { chain } = world
  const { stranger } = chain.wallets
  const token = chain.tokens.usdc
  const drawn = random.weighted(COURSES)
  const course = drawn === 'runsOut' && pass === undefined ? 'plain' : drawn
  // In this course it shall end before it is carried.
  const lasts = course === 'runsOut' ? {} : { permitDeadline: (await chain.now()) + 6 * 86_400 }
  const wish = { approvalPeriods: random.pick([1, 4, 12, 26]), ...lasts }
  const signed = await signFor(world, outlooks, prepareExtendCoverage, { from: payer, token, ...wish })
  const value = BigInt(signed.value)

  switch (course) {
    case 'plain':
      break
    case 'carriedByAnother': {
      await carry(world, outlooks, { from: stranger, signed })
      const { preflight, unsignedTransactions } = await askToCarry(outlooks, provider, signed)
      expect({ preflight, unsignedTransactions }).toMatchObject({
        preflight: { alreadyCarried: true, allowance: { before: value, after: value } },
        unsignedTransactions: undefined,
      })
      return { course, promised: preflight.subscriptions }
    }
    case 'approvesMore':
      await approveOnce(world, payer, value + 1n)
      break
    case 'approvesLess':
      await approveOnce(world, payer, value - 1n)
      break
    case 'revokes':
      await approveOnce(world, payer, 0n)
      break
    case 'voids': {
      const nothing = await signFor(world, outlooks, prepareRevokeAllowance, { from: payer, token, ...lasts })
      await carry(world, outlooks, { from: stranger, signed: nothing })
      await expectVoid(outlooks, provider, signed, 'used')
      return { course, promised: await again() }
    }
    case 'runsOut':
      await pass?.()
      await expectVoid(outlooks, provider, signed, 'expired')
      return { course, promised: await again() }
  }
  return { course, promised: await carry(world, outlooks, { from: provider, signed }) }

  async function again(): Promise<Promised> {
    const { approvalPeriods } = wish
    const another = await signFor(world, outlooks, prepareExtendCoverage, {
      from: payer,
      token,
      approvalPeriods,
    })
    return carry(world, outlooks, { from: provider, signed: another })
  }
}

/** Signs by the payer's own key what the operation gave, after a look at it. */
async function signFor(
  world: World,
  outlooks: Outlooks,
  operation: typeof prepareExtendCoverage | typeof prepareRevokeAllowance,
  wish: { readonly from: Address; readonly token: Address; readonly approvalPeriods?: number },
): Promise<Signed> {
  const { from: owner, token } = wish
  const { permit } = Offer.parse(await outlooks.answer(operation, { ...wish, permit: true }))
  const { deadline, nonce: _, digest, ...typed } = permit
  expect(typed).toMatchObject({
    domain: { chainId: world.chain.chainId, verifyingContract: token },
    message: { owner, spender: world.chain.contract },
  })
  expect(hashTypedData(typed)).toBe(digest)
  const signature = await world.signerFor(owner).signTypedData(typed)
  return { owner, token, value: typed.message.value, deadline, signature }
}

async function askToCarry(outlooks: Outlooks, from: Address, signed: Signed) {
  return Carrying.parse(await outlooks.answer(prepareCarryPermit, { from, ...signed }))
}

function expectVoid(outlooks: Outlooks, from: Address, signed: Signed, flaw: string): Promise<void> {
  const refused = expect(outlooks.answer(prepareCarryPermit, { from, ...signed })).rejects
  return refused.toMatchObject({ code: 'PERMIT_VOID', facts: { flaw } })
}

/** Sends what carries it, as it was prepared: the allowance is what was promised, and nothing else has changed. */
async function carry(
  world: World,
  outlooks: Outlooks,
  { from, signed }: { readonly from: Address; readonly signed: Signed },
): Promise<Promised> {
  const { owner, token, value } = signed
  const { chain } = world
  const before = await everything(world)
  const body = await outlooks.answer(prepareCarryPermit, { from, ...signed })
  const { preflight, warnings } = Carrying.parse(body)
  const place = placeOf(world, token, owner)
  expect(preflight).toMatchObject({
    alreadyCarried: false,
    allowance: { before: before.get(place), after: BigInt(value) },
  })
  const isLower = BigInt(value) < (before.get(place) ?? 0n)
  expect(warnings.map(({ code }) => code)).toEqual(isLower ? ['PERMIT_LOWERS_ALLOWANCE'] : [])
  const { receipts } = await signAndSend(chain, world.signerFor(from), body)
  expect(receipts.map(({ status }) => status)).toEqual(['success'])
  const logs = receipts.flatMap((receipt) => receipt.logs)
  expect(parseEventLogs({ abi: erc20Abi, logs }).map(({ eventName, args }) => ({ eventName, args }))).toEqual(
    [{ eventName: 'Approval', args: { owner, spender: chain.contract, value: BigInt(value) } }],
  )
  expect(logs.length).toBe(1)
  const expected = new Map(before).set(place, BigInt(value))
  expect(await everything(world)).toEqual(expected)
  return preflight.subscriptions
}

/** All balances and allowances, and the payers' ether. */
async function everything(world: World): Promise<Map<string, bigint>> {
  const { client } = world.chain
  const holdings = await world.holdings()
  const rows = world.tokens.flatMap(({ address }) =>
    holdings.accounts.flatMap((account): [string, bigint][] => [
      [placeOf(world, address, account), holdings.allowance(address, account)],
      [`${world.nameOf(address)} of ${world.nameOf(account)}`, holdings.balance(address, account)],
    ]),
  )
  const ether = payersWithoutEther(world).map(
    async (address): Promise<[string, bigint]> => [
      `ether of ${world.nameOf(address)}`,
      await client.getBalance({ address }),
    ],
  )
  return new Map([...rows, ...(await Promise.all(ether))])
}

function placeOf(world: World, token: Address, account: Address): string {
  return `${world.nameOf(token)} allowed by ${world.nameOf(account)}`
}

/** Compares what carrying has promised one payer with what the contract did since. */
export function expectPromised(
  world: World,
  promised: Promised,
  { happened, nextUncheckedDay }: { happened: readonly Happened[] } & Pick<Life, 'nextUncheckedDay'>,
): void {
  for (const { id, after } of promised) {
    const rows = happened.filter(({ subscriptionId }) => subscriptionId === id)
    const paid = rows.filter(({ verdict }) => verdict === 'pays').map(({ day }) => day)
    const failed = rows.filter(({ verdict }) => verdict === 'fails').map(({ day }) => day)
    const { periods, until, failsOn } = after
    if (failsOn === null || failsOn >= nextUncheckedDay) {
      expect(failed, `${world.nameOf(id)} fails only on ${failsOn}`).toEqual([])
      expect(paid.length).toBeLessThanOrEqual(periods ?? paid.length)
    } else {
      expect({ periods: paid.length, until: paid.at(-1) ?? null, failsOn: failed }, world.nameOf(id)).toEqual(
        {
          periods,
          until,
          failsOn: [failsOn],
        },
      )
    }
  }
}
