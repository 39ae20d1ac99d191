import { formatUnits, parseUnits } from 'viem'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { Stage } from '../testing/Stage.ts'

let stage: Stage
beforeAll(async () => {
  stage = await Stage.open()
})
afterAll(() => stage.chain.stop())
beforeEach(() => stage.save())
afterEach(() => stage.restore())

const subscribeAnn = (name: string) => stage.does('ann', 'subscribe', stage.tuple(name))

describe('the first charge', () => {
  it('is only the caller share on the due day, while remit has yet to come', async () => {
    await stage.create('A', { frequency: 'MONTHLY', dueDay: 2 })
    expect(await subscribeAnn('A')).toEqual([
      'A SUBSCRIBED ann 100',
      'A FEEFILL ann 2',
      'ann -> contract 2 token18',
    ])
  })

  it('is a full period on the due day, once remit has been there', async () => {
    await stage.uncheckedFrom('2026-03-03')
    await stage.create('A', { frequency: 'MONTHLY', dueDay: 2 })
    expect(await subscribeAnn('A')).toEqual([
      'A SUBSCRIBED ann 100',
      'A FEEFILL ann 25',
      'ann -> contract 25 token18',
      'A PROVPAID ann 75',
      'ann -> provider 75 token18',
    ])
  })

  it('is the caller share where the rest of the period is worth less', async () => {
    await stage.create('A', { frequency: 'YEARLY', dueDay: 62, amount: '365' })
    expect((await subscribeAnn('A')).slice(1)).toEqual(['A FEEFILL ann 7.3', 'ann -> contract 7.3 token18'])
  })

  it('fills the balance with all of it below the threshold, and always for weekly', async () => {
    await stage.create('A', { frequency: 'QUARTERLY', dueDay: 65, amount: '90' })
    expect((await subscribeAnn('A')).slice(1)).toEqual(['A FEEFILL ann 4', 'ann -> contract 4 token18'])
    await stage.create('B', { frequency: 'WEEKLY', dueDay: 7, amount: '70' })
    expect((await subscribeAnn('B')).slice(1)).toEqual(['B FEEFILL ann 60', 'ann -> contract 60 token18'])
  })

  it('fills 8.3 % of a period from the threshold on, and the provider gets the rest', async () => {
    await stage.create('A', { frequency: 'QUARTERLY', dueDay: 60, amount: '90' })
    expect((await subscribeAnn('A')).slice(1)).toEqual([
      'A FEEFILL ann 7.47',
      'ann -> contract 7.47 token18',
      'A PROVPAID ann 81.53',
      'ann -> provider 81.53 token18',
    ])
  })

  it('asks for allowance and balance of a full period, even where less is taken', async () => {
    await stage.create('A', { frequency: 'MONTHLY', dueDay: 2 })
    const units = parseUnits('100', 18)
    await stage.token('token18', 'ann', 'approve', 'contract', (units - 1n).toString())
    expect(await stage.fails('ann', 'subscribe', stage.tuple('A'))).toBe('10')
    await stage.token('token18', 'ann', 'approve', 'contract', units.toString())
    expect(await stage.fails('ann', 'subscribe', stage.tuple('A'))).toBe('succeeds')
    await stage.token('token18', 'ann', 'transfer', 'eve', parseUnits('999901', 18).toString())
    expect(await stage.fails('ann', 'subscribe', stage.tuple('A'))).toBe('10')
  })

  it('adds to a balance that was left locked', async () => {
    await stage.create('A', { frequency: 'WEEKLY', dueDay: 1 })
    await subscribeAnn('A')
    await stage.token('token18', 'ann', 'approve', 'contract', '0')
    await stage.remit()
    await stage.token('token18', 'ann', 'approve', 'contract', parseUnits('1000', 18).toString())
    stage.travel('2026-03-09')
    await subscribeAnn('A')
    expect(await stage.feeBalance('A', 'ann')).toBe('4')
  })

  it('truncates each transfer to the digits of the token while logs and balance keep theirs', async () => {
    await stage.create('A', { frequency: 'WEEKLY', dueDay: 3, amount: '0.000010000001', token: 'token6' })
    expect((await subscribeAnn('A')).slice(1)).toEqual([
      'A FEEFILL ann 0.000002857143142856',
      'ann -> contract 0.000002 token6',
    ])
    expect(await stage.feeBalance('A', 'ann')).toBe('0.000002857143142856')
  })

  it('panics with 0x11 before anything is compared where the period overflows a token of more than 18 decimals', async () => {
    await stage.create('A', {
      frequency: 'WEEKLY',
      dueDay: 1,
      amount: formatUnits(2n ** 255n, 18),
      token: 'token20',
    })
    expect(await stage.fails('stranger', 'subscribe', stage.tuple('A'))).toBe('Panic(17)')
  })

  it('panics with 0x12 for an amount of nothing from monthly on, unless it counts as too low', async () => {
    await stage.create('A', { frequency: 'WEEKLY', dueDay: 2, amount: '0' })
    await stage.create('B', { frequency: 'MONTHLY', dueDay: 3, amount: '0' })
    expect(await stage.fails('ann', 'subscribe', stage.tuple('A'))).toBe('succeeds')
    expect(await stage.fails('ann', 'subscribe', stage.tuple('B'))).toBe('succeeds')
    await stage.uncheckedFrom('2026-03-03')
    expect(await stage.fails('ann', 'subscribe', stage.tuple('A'))).toBe('succeeds')
    expect(await stage.fails('ann', 'subscribe', stage.tuple('B'))).toBe('Panic(18)')
  })
})

describe('a charge by remit', () => {
  it('takes the caller share from a balance that exceeds it, and the provider gets the full period', async () => {
    await stage.create('A', { frequency: 'WEEKLY', dueDay: 2, amount: '70' })
    await subscribeAnn('A')
    stage.travel('2026-03-03')
    expect((await stage.remit()).slice(1)).toEqual([
      'A at 1:1 of WEEKLY',
      'A SUBPAID ann 70',
      'A PROVPAID ann 70',
      'ann -> provider 70 token18',
      'contract -> caller 1.4 token18',
      'day 20515 finished',
    ])
    expect(await stage.feeBalance('A', 'ann')).toBe('8.6')
  })

  it('gives the provider a multiple of the truncated fill, so that a period can cost a few units less', async () => {
    await stage.create('A', { frequency: 'QUARTERLY', dueDay: 61, amount: '0.000000000000000100' })
    await subscribeAnn('A')
    expect(await stage.remit()).toEqual([
      'A at 1:1 of QUARTERLY',
      'A FEEFILL ann 0.0000000000000001',
      'ann -> contract 0.000000000000000008 token18',
      'A PROVPAID ann 0.000000000000000088',
      'ann -> provider 0.000000000000000088 token18',
      'contract -> caller 0.000000000000000002 token18',
      'day 20514 finished',
    ])
  })

  it('drops at once who cannot pay, and a balance above the caller share goes to caller and provider', async () => {
    await stage.create('A', { frequency: 'WEEKLY', dueDay: 2, amount: '70' })
    await subscribeAnn('A')
    await stage.token('token18', 'ann', 'approve', 'contract', parseUnits('69', 18).toString())
    stage.travel('2026-03-03')
    expect((await stage.remit()).slice(1)).toEqual([
      'A PROVREFUND ann 8.6',
      'contract -> provider 8.6 token18',
      'A UNSUBSCRIBED ann 70',
      'A FAILED ann 0',
      'A at 1:1 of WEEKLY',
      'contract -> caller 1.4 token18',
      'day 20515 finished',
    ])
    expect(await stage.feeBalance('A', 'ann')).toBe('0')
    expect(await stage.view('getAccountSubscriptions', true, 'ann')).toMatchObject([{ status: 2 }])
  })

  it('keeps a balance locked that equals the caller share when its account is dropped', async () => {
    await stage.create('A', { frequency: 'WEEKLY', dueDay: 1 })
    await subscribeAnn('A')
    await stage.token('token18', 'ann', 'approve', 'contract', '0')
    expect(await stage.remit()).toEqual([
      'A UNSUBSCRIBED ann 100',
      'A FAILED ann 0',
      'A at 1:1 of WEEKLY',
      'contract -> caller 0 token18',
      'day 20514 finished',
    ])
    expect(await stage.feeBalance('A', 'ann')).toBe('2')
    expect(await stage.balance('token18', 'contract')).toBe('2')
  })

  it('drops a subscriber whose allowance was one period, since the first charge spent a part of it', async () => {
    await stage.create('A', { frequency: 'MONTHLY', dueDay: 2 })
    await stage.token('token18', 'ann', 'approve', 'contract', parseUnits('100', 18).toString())
    await subscribeAnn('A')
    expect(await stage.remit()).toContain('A FAILED ann 0')
  })

  it('pays the system share before the caller, each truncated on its own', async () => {
    await stage.does('admin', 'systemFeeActivate', true)
    await stage.does('admin', 'changeSysFeeReceiver', 'stranger')
    await stage.create('A', { frequency: 'WEEKLY', dueDay: 1, amount: '0.000950', token: 'token6' })
    await stage.subscribe('A', 'ann')
    expect(Stage.transfers(await stage.remit())).toEqual([
      'ann -> contract 0.00095 token6',
      'contract -> stranger 0.000001 token6',
      'contract -> caller 0.000017 token6',
    ])
  })

  it('pays the caller per subscription, each in its own token', async () => {
    await stage.create('A', { frequency: 'WEEKLY', dueDay: 1 })
    await stage.create('B', { frequency: 'MONTHLY', dueDay: 2, token: 'token20' })
    await stage.subscribe('A', 'ann', 'ben')
    await stage.subscribe('B', 'ann')
    expect(Stage.transfers(await stage.remit()).filter((line) => line.includes('caller'))).toEqual([
      'contract -> caller 4 token18',
      'contract -> caller 2 token20',
    ])
  })
})
