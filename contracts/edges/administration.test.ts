import { zeroAddress } from 'viem'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { Subscriptions } from '../generated/Subscriptions.ts'
import type { Recorded } from '../testing/life.ts'
import { dayNumber, Stage, zeroId } from '../testing/Stage.ts'

let stage: Stage
beforeAll(async () => {
  stage = await Stage.open()
})
afterAll(() => stage.chain.stop())
beforeEach(() => stage.save())
afterEach(() => stage.restore())

describe('the constructor', () => {
  const at = Date.parse('2026-03-05T00:00:00Z') / 1000
  const deploys = (callerFee: bigint, systemFee: bigint, admin: string, janitor: string) =>
    stage.chain.deploy(
      'other',
      Subscriptions,
      [
        callerFee,
        systemFee,
        0n,
        0n,
        false,
        stage.chain.names.addressOf(admin),
        stage.chain.names.addressOf(janitor),
      ],
      at,
    )
  const probe = (callerFee: bigint, systemFee: bigint, admin: string) =>
    stage.chain.probeDeploy(Subscriptions, [
      callerFee,
      systemFee,
      0n,
      0n,
      false,
      stage.chain.names.addressOf(admin),
      zeroAddress,
    ])

  it('begins two days before its own, with limits unchecked and no janitor needed', async () => {
    await deploys(10833n, 19999n, 'admin', 'zero')
    const view = (name: string) => stage.chain.view('other', name, [])
    expect(await view('nextUncheckedDay')).toBe(dayNumber('2026-03-03'))
    expect(await view('maxRemits')).toBe('0')
    expect(await view('cancelLimit')).toBe('0')
    expect(await view('owner')).toBe('admin')
    expect(await view('defaultAdminDelay')).toBe(86_400)
  })

  it('refuses a zero admin before anything else, then fees out of range', async () => {
    expect(await probe(1n, 1n, 'zero')).toBe('AccessControlInvalidDefaultAdmin(zero)')
    expect(await probe(9_999n, 10_000n, 'admin')).toBe('empty')
    expect(await probe(10_834n, 10_000n, 'admin')).toBe('empty')
    expect(await probe(10_000n, 9_999n, 'admin')).toBe('empty')
    expect(await probe(10_000n, 20_000n, 'admin')).toBe('empty')
    expect(await probe(10_000n, 10_000n, 'admin')).toBe('succeeds')
  })
})

describe('the admin', () => {
  const fails = (call: string, ...args: Recorded[]) => stage.fails('admin', call, ...args)

  it('is the receiver of the system share until it names another, which may not be the same again', async () => {
    expect(await fails('changeSysFeeReceiver', 'admin')).toBe('empty')
    expect(await fails('changeSysFeeReceiver', 'zero')).toBe('empty')
    await stage.does('admin', 'changeSysFeeReceiver', 'ann')
    expect(await fails('changeSysFeeReceiver', 'ann')).toBe('empty')
    expect(await fails('changeSysFeeReceiver', 'admin')).toBe('succeeds')
  })

  it('approves a token once, with decimals as it pleases, and nothing is logged', async () => {
    expect(await fails('addERC20Contract', 'zero', '0', 6)).toBe('empty')
    expect(await fails('addERC20Contract', 'token6', '0', 6)).toBe('1')
    expect(await stage.does('admin', 'addERC20Contract', 'eve', '5', 200)).toEqual([])
    expect(await stage.view('approvedERC20', 'eve')).toEqual(['eve', 200, false, '5'])
  })

  it('may pause a paused token, but not resume one that runs', async () => {
    expect(await fails('pauseToken', 'eve', true)).toBe('empty')
    expect(await fails('pauseToken', 'token6', false)).toBe('empty')
    await stage.does('admin', 'pauseToken', 'token6', true)
    expect(await fails('pauseToken', 'token6', true)).toBe('succeeds')
    expect(await fails('pauseToken', 'token6', false)).toBe('succeeds')
  })

  it.each([
    ['changeCallerFee', 10_000, 10_833],
    ['changeSystemFee', 10_000, 19_999],
  ] as const)('%s takes %i to %i', async (call, lowest, highest) => {
    expect(await fails(call, lowest - 1)).toBe('empty')
    expect(await fails(call, lowest)).toBe('succeeds')
    expect(await fails(call, highest)).toBe('succeeds')
    expect(await fails(call, highest + 1)).toBe('empty')
  })

  it.each<[string, Recorded[]]>([
    ['changeSysFeeReceiver', ['zero']],
    ['systemFeeActivate', [true]],
    ['addERC20Contract', ['zero', '0', 0]],
    ['changeCallerFee', [0]],
    ['changeSystemFee', [0]],
    ['changeMaxRemits', [0]],
    ['setNextUncheckedDay', [0]],
    ['pauseToken', ['zero', true]],
    ['setCancelLimit', [0]],
    [
      'setPageStart',
      [{ id: zeroId, subscriberIndex: 0, subscriptionIndex: 0, frequency: 0, initialized: false }],
    ],
  ])('alone may call %s, and the role is looked at before the arguments', async (call, args) => {
    expect(await stage.fails('janitor', call, ...args)).toMatch(
      /^AccessControlUnauthorizedAccount\(janitor,0x0+\)$/,
    )
  })
})
