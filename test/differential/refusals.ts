import { Subscriptions } from '@remit/contracts/Subscriptions'
import { decodeEventLog, erc20Abi, type Log } from 'viem'
import { expect } from 'vitest'
import * as z from 'zod'
import { endlessAllowance, type PrepareRequest } from './requests.ts'
import type { World } from './world.ts'

const NotReady = z.object({ issues: z.array(z.object({ code: z.string() })).min(1) })
const Failed = z.object({
  reason: z.object({ protocolCode: z.string().optional(), name: z.string(), message: z.string() }),
})

/** With what the contract reverts where only this stands against a call; `undefined`: however it does. */
const REVERTS: Readonly<Record<string, readonly string[] | undefined>> = {
  SUBSCRIPTION_CANCELLED: ['23'],
  TOKEN_PAUSED: ['20'],
  TOKEN_NOT_APPROVED: ['5'],
  AMOUNT_BELOW_MINIMUM: ['18'],
  OWN_SUBSCRIPTION: ['0'],
  ALREADY_SUBSCRIBED: ['25'],
  NOT_SUBSCRIBED: ['3', '9'],
  NOT_PROVIDER: ['8', '13'],
  ALREADY_CANCELLED: ['23'],
  INSUFFICIENT_BALANCE: ['10'],
  SUBSCRIPTION_PAGING: ['24'],
  REMIT_NOT_DUE: ['6'],
  NOTHING_DUE: ['6'],
  REMIT_STALLED: undefined,
  REMIT_BLOCKED_BY_TRANSFER: undefined,
  NOTHING_TO_REVOKE: [],
  NOTHING_TO_EXTEND: [],
}

/** The calls that the contract takes although they do nothing, and what they may log. */
const USELESS: Readonly<Record<string, readonly string[]>> = {
  // A stranger leaves: the fee balance of 0 is refunded.
  NOT_SUBSCRIBED: ['UList', 'SubLog 7', 'SubLog 4 of 0', 'Transfer of 0'],
  // A stranger edits details.
  NOT_PROVIDER: [],
  NOTHING_TO_REVOKE: ['Approval of 0'],
  NOTHING_TO_EXTEND: ['Approval of 0'],
  // maxRemits is 0: a page that ends where it began.
  REMIT_STALLED: ['CallerLog', 'Transfer of 0'],
}

/** What was refused by name reverts for that reason, or does nothing, when it is sent by hand. */
export async function expectRefusedByChain(
  world: World,
  request: PrepareRequest,
  body: Record<string, unknown>,
): Promise<string[]> {
  const codes = NotReady.parse(body).issues.map(({ code }) => code)
  const unknown = codes.filter((code) => !(code in REVERTS))
  expect(unknown, 'codes outside of the list').toEqual([])
  const { status, reason, logs } = await byHand(world, request)
  if (status === 'success') {
    const allowed = codes.flatMap((code) => USELESS[code] ?? ['refused by the chain'])
    expect(allowed, `${codes.join()} by hand`).toEqual(expect.arrayContaining([...new Set(logs)]))
    expect(allowed).not.toContain('refused by the chain')
    return codes
  }
  const allowed = codes.flatMap((code) => REVERTS[code] ?? [reason ?? ''])
  expect(allowed, `${codes.join()} by hand`).toContain(reason)
  return codes
}

/** A simulation that was said to revert reverts by hand with just that reason, which no precondition names. */
export async function expectSameRevert(
  world: World,
  request: PrepareRequest,
  body: Record<string, unknown>,
): Promise<void> {
  const { reason: said } = Failed.parse(body)
  expect(said.protocolCode, 'a protocol revert is a precondition').toBeUndefined()
  const { status, reason = '' } = await byHand(world, request)
  expect(status).toBe('reverted')
  const words = `${said.name} ${said.message}`
  const short = reason === 'empty' ? 'EMPTY_REVERT' : (reason.split('(')[0] ?? '')
  expect(words).toContain(short === 'Panic' ? 'PANIC' : short)
}

/** An id that nobody has: the contract says so too, or does nothing. */
export async function expectNothingThere(world: World, request: PrepareRequest): Promise<void> {
  const { status, reason, logs } = await byHand(world, request)
  if (status === 'success') expect(logs).toEqual([])
  else expect(reason).toBe('3')
}

/** Sends the call in a state that is thrown away; a subscribe with all the allowance that there is. */
async function byHand(world: World, { from, byHand: call, spends }: PrepareRequest) {
  return world.aside(async () => {
    if (spends !== undefined) {
      for (const approval of endlessAllowance(world, spends)) await world.send(from, approval)
    }
    const reason = await world.reasonFor(from, call)
    const { status, logs } = await world.send(from, call)
    expect(status, `the call by hand, which says ${reason}`).toBe(
      reason === undefined ? 'success' : 'reverted',
    )
    return { status, reason, logs: logs.map(wordOf) }
  })
}

function wordOf({ topics, data }: Log): string {
  const event = decodeEventLog({ abi: [...Subscriptions.abi, ...erc20Abi], topics, data })
  switch (event.eventName) {
    case 'SubLog': {
      const { subScriptEvent, amount } = event.args
      return subScriptEvent === 7 ? 'SubLog 7' : `SubLog ${subScriptEvent} of ${amount}`
    }
    case 'Transfer':
    case 'Approval':
      return `${event.eventName} of ${event.args.value}`
    default:
      return event.eventName
  }
}
