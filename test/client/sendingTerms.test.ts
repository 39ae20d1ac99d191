import { TermsDifferError } from '@remit/client/testing/sending/errors'
import { describe, expect, it } from 'vitest'
import { QUICK, useSendingGround } from './sendingGround.ts'

const { chain, service, flows, weekly, injected } = await useSendingGround()
const { alice, stranger } = chain.wallets
await service.caughtUp()

describe('what a caller agreed to', () => {
  it('limits the approval', async () => {
    const { wallet, signatures } = injected(alice)
    const options = { ...QUICK, maxApproval: 100_000_000n }
    await expect(flows.subscribe({ id: weekly.id }).send(wallet, options)).rejects.toThrow(
      /takes an approval of 122857142, and 100000000 is the most allowed/,
    )
    expect(signatures()).toEqual([])
  })

  it.each([
    ['amount', { amount: '9' }],
    ['amount', { amount: '10.0000001' }],
    ['provider', { provider: stranger }],
    ['token', { token: chain.tokens.dai }],
    ['frequency', { frequency: 1 }],
    ['dueDay', { dueDay: 4 }],
  ])('is compared with the chain’s %s, and a difference is not called unsafe', async (field, terms) => {
    const { wallet, signatures } = injected(alice)
    const sent = flows.subscribe({ id: weekly.id, terms }).send(wallet, QUICK)
    const failure: unknown = await sent.catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(TermsDifferError)
    expect(failure).toMatchObject({ code: 'TERMS_DIFFER', differences: [{ field }], sent: [] })
    expect(signatures()).toEqual([])
  })

  it('is reported with every term that differs', async () => {
    const { wallet } = injected(alice)
    const terms = { amount: '9.5', dueDay: 4, frequency: 0 }
    await expect(flows.subscribe({ id: weekly.id, terms }).send(wallet, QUICK)).rejects.toThrow(
      /nothing was signed: its amount is 10 and not 9.5; its dueDay is 3 and not 4\.$/,
    )
  })
})
