import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createClient } from '@remit/client'
import { confirmBlock, ProofRefusedError } from '@remit/client/proofs'
import { afterAll, describe, expect, it } from 'vitest'
import * as z from 'zod'
import { protocolOn } from '../support/chain/protocolOn.ts'
import { useTestChain } from '../support/chain/useTestChain.ts'
import { indexed } from '../support/service/indexed.ts'
import { useTestService } from '../support/service/testService.ts'
import { runInProcess } from './cliRun.ts'

const chain = await useTestChain()
const protocol = protocolOn(chain)
const { alice, bob, carol, keeper } = chain.wallets
const plan = await protocol.create()
for (const payer of [alice, bob, carol]) await protocol.join(plan, payer)
await protocol.send(bob, 'unsubscribe', [plan])
// One call of remit for both who are left.
await chain.advanceDays(2)
await protocol.send(keeper, 'remit', [])
await chain.keep()
const service = await useTestService([chain])
await indexed(service, chain)

const contracts = { [chain.chainId]: chain.contract }
const { id } = plan

type Body = Record<string, unknown>

/** A client whose service says something else, with everything else as it was. */
function clientOf(lie: (body: Body) => Body = (body) => body) {
  return createClient({
    url: service.url,
    node: chain.url,
    contracts,
    verify: 'state',
    retries: 0,
    async fetch(input, init) {
      const answer = await fetch(input, init)
      const body = lie(await answer.json())
      return new Response(JSON.stringify(body), { status: answer.status, headers: answer.headers })
    },
  })
}

const honest = clientOf()
const path = (address: string) => `/subscriptions/${id}/subscribers/${address}?proof=true`
const { body: ofAlice } = await service.get(path(alice))

describe('a client that verifies state', () => {
  it('answers who is a member and who is one no more', async () => {
    const answers = await Promise.all([alice, bob].map((address) => honest.getMembership({ id, address })))
    expect(answers.map(({ state }) => state)).toEqual(['active', 'left'])
  })

  it.each<[string, (body: Body) => Body]>([
    ['somebody who left is called active', (body) => ({ ...body, state: 'active', entitled: true })],
    ['the proof is another member’s', () => ofAlice],
    ['there is no proof', ({ proof: _, ...body }) => body],
    [
      'the block is none of the chain',
      (body) => ({ ...body, asOf: { ...Object(body.asOf), blockHash: id } }),
    ],
  ])('refuses a service by which %s', async (_, lie) => {
    await expect(clientOf(lie).getMembership({ id, address: bob })).rejects.toThrow(ProofRefusedError)
  })

  it('refuses a service that denies a member its entitlement', async () => {
    const lying = clientOf((body) => ({ ...body, entitled: false }))
    await expect(lying.getMembership({ id, address: alice })).rejects.toThrow('every member is')
  })

  it('refuses what was true once', async () => {
    await protocol.send(alice, 'unsubscribe', [plan])
    await chain.advanceDays(1)
    const late = clientOf(() => ofAlice).getMembership({ id, address: alice })
    await expect(late).rejects.toThrow('from a block that is')
  })

  it('shows the payment that was asked for, and that its block is on the chain', async () => {
    const { payments } = await honest.listProviderPayments({ address: chain.wallets.provider })
    const [one, sameTransaction] = payments.filter(({ kind }) => kind === 'period' || kind === 'feeFill')
    const elsewhere = payments.find(({ kind }) => kind === 'firstCharge')
    if (one === undefined || sameTransaction === undefined || elsewhere === undefined)
      throw new Error('too few have paid')
    expect(sameTransaction.transactionHash).toBe(one.transactionHash)
    const request = { txHash: one.transactionHash, logIndex: one.logIndex }
    for (const logIndex of [one.logIndex, one.lastLogIndex]) {
      const { payment, block } = await honest.verify.payment({ ...request, logIndex })
      expect([payment.subscriber, payment.charged]).toEqual([one.subscriber, String(one.charged.amountRaw)])
      expect(block.number).toBe(one.blockNumber)
    }
    for (const { transactionHash, logIndex } of [sameTransaction, elsewhere]) {
      const { body } = await service.get(`/payments/${transactionHash}/${logIndex}?proof=true`)
      await expect(clientOf(() => body).verify.payment(request)).rejects.toThrow('another payment')
    }
  })

  it('is refused by a node that is on another chain, or has no such block', async () => {
    const proven = await honest.verify.membership({ id, address: bob })
    const saying = (method: string, answer: unknown) => ({
      request: async (asked: { method: never; params: never }) =>
        asked.method === method ? answer : chain.client.request(asked),
    })
    await expect(confirmBlock(saying('eth_chainId', '0x1'), proven)).rejects.toThrow('is on chain 1')
    await expect(confirmBlock(saying('eth_getBlockByHash', null), proven)).rejects.toThrow('has no block')
    await expect(confirmBlock(saying('eth_getBlockByNumber', null), proven)).rejects.toThrow('has no block')
  })
})

describe('remit verify', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'remit-verify-'))
  afterAll(() => rmSync(folder, { recursive: true, force: true }))
  const file = join(folder, 'proof.json')
  const { proof } = z.object({ proof: z.looseObject({ blockHash: z.string() }) }).parse(ofAlice)
  const trusted = ['--contract', chain.contract, '--block-hash', proof.blockHash]
  const verify = (content: unknown, ...options: string[]) => {
    writeFileSync(file, JSON.stringify(content))
    return runInProcess(['verify', file, ...options])
  }

  it('exits with 0 where the proof holds, alone in its file or in the answer, by a hash or by a node', async () => {
    for (const content of [proof, ofAlice]) {
      expect((await verify(content, ...trusted)).out).toContain('The proof holds')
    }
    const { code, out } = await verify(proof, '--contract', chain.contract, '--node', chain.url)
    expect([code, out]).toEqual([0, expect.stringMatching(/^Member +true$/m)])
  })

  it('refuses an answer that says something else than its proof, and says whose word the decimals are', async () => {
    const { payments } = await honest.listProviderPayments({ address: chain.wallets.provider })
    const [one] = payments
    if (one === undefined) throw new Error('nobody has paid')
    const { body } = await service.get(`/payments/${one.transactionHash}/${one.logIndex}?proof=true`)
    const node = ['--contract', chain.contract, '--node', chain.url]
    const { out } = await verify(body, ...node)
    expect(out).toMatch(/^Decimals +6, by the file’s own word/m)
    // Raw, and by those decimals.
    expect(out).toMatch(/^Charged, raw +10000000 \(10\)$/m)
    const silent = await verify(body, '--contract', chain.contract, '--node', 'http://127.0.0.1:1')
    expect([silent.code, silent.out]).toEqual([3, ''])
    const { payment } = z.object({ payment: z.looseObject({ charged: z.looseObject({}) }) }).parse(body)
    const { charged } = payment
    for (const other of [
      { charged: { ...charged, amount: '99' } },
      { charged: { ...charged, amountRaw: '99000000' } },
      { charged: { ...charged, tokenDecimals: 5, amount: '50' } },
      { charged: '99 USDC' },
      { subscriber: keeper },
      { provider: keeper },
      { token: { address: keeper } },
      { kind: 'left' },
      { day: { dayNumber: 1, date: '1970-01-02' } },
      { timestamp: 1 },
    ]) {
      const { code, out, err } = await verify({ ...body, payment: { ...payment, ...other } }, ...node)
      expect([code, out]).toEqual([1, ''])
      expect(err).toMatch(/^remit: The file says payment\.\S+ .+, and its proof shows .+\.$/m)
    }
    for (const other of [{ state: 'left' }, { entitled: false }, { subscriber: carol }]) {
      const { code, err } = await verify({ ...ofAlice, ...other }, ...trusted)
      expect([code, err]).toEqual([1, expect.stringContaining('The file says ')])
    }
    const { body: ofBob } = await service.get(path(bob))
    const { code, err } = await verify({ ...ofBob, state: 'active' }, ...node)
    expect([code, err]).toEqual([
      1,
      'remit: The file says state "active", and its proof shows "no member".\n',
    ])
  })

  it('exits with 1 where it does not, and with 2 where no block is trusted', async () => {
    const altered = { ...proof, chainId: 1, header: '0xc0' }
    const { code, err } = await verify(altered, ...trusted)
    expect([code, err]).toEqual([1, 'remit: The proof does not hold: the header is not that of the block.\n'])
    expect((await verify(proof, '--contract', chain.contract)).code).toBe(2)
    expect((await verify(proof, '--block-hash', proof.blockHash)).code).toBe(1)
  })
})
