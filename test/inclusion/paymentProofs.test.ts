import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { createClient, type PaymentProof } from '@remit/client'
import { ProofRefusedError } from '@remit/protocol/inclusion/ProofRefusedError'
import { verifyPaymentProof } from '@remit/protocol/inclusion/paymentProof'
import { PAYMENT_KINDS } from '@remit/protocol/payments/Payment'
import { type Address, type Hex, maxUint256 } from 'viem'
import { describe, expect, it } from 'vitest'
import { type Random, randomOf } from '../differential/random.ts'
import { beginBusyLife } from '../support/chain/busyLife.ts'
import { protocolOn } from '../support/chain/protocolOn.ts'
import { useTestChain } from '../support/chain/useTestChain.ts'
import { findBuilt } from '../support/programs/installed.ts'
import { trials, trialsTimeoutMs } from '../support/runner/trials.ts'
import { indexed } from '../support/service/indexed.ts'
import { useTestService } from '../support/service/testService.ts'
import { flipped } from './alteredProof.ts'

const PYTHON = findBuilt(
  'the verifier in Python (test/support/README.md tells how to install it)',
  join(import.meta.dirname, '.venv/bin/python'),
)

const PAYMENTS = trials({ short: 60, nightly: 1_000 })
const KINDS = PAYMENT_KINDS.filter((kind) => kind !== 'cancelled')
/** Of each proof. */
const MUTATIONS = 10

const chain = await useTestChain()
const { contract } = chain
const random = randomOf(41)
const protocol = protocolOn(chain)
const life = await beginBusyLife(chain, random)
const service = await useTestService([chain])
const client = createClient({ url: service.url })
const proofs = await provenPayments()

/** Lives on until there are enough, and has the proof of each. */
async function provenPayments(): Promise<readonly PaymentProof[]> {
  for (;;) {
    for (let blocks = 0; blocks < 12; blocks += 1) await life.mine(6)
    for (let days = 0; days < 7; days += 1) await life.nextDay()
    await life.remitAll()
    await endInAllWays()
    await indexed(service, chain)
    const payments = await Promise.all(life.people.map(paymentsTo))
    if (payments.flat().length >= PAYMENTS) return Promise.all(payments.flat().map(proofOf))
  }
}

/** A removal, a drop and a clean-up, which the life has none of. */
async function endInAllWays() {
  const { janitor, alice, bob, carol, otherProvider } = chain.wallets
  const plan = await protocol.create({ provider: otherProvider })
  for (const payer of [alice, bob, carol]) await protocol.join(plan, payer)
  await protocol.send(otherProvider, 'unsubscribeByProvider', [plan, alice])
  await protocol.fund(plan.token, bob, { allowance: 0n })
  for (let days = 0; days < 7; days += 1) await life.nextDay()
  await life.remitAll()
  await protocol.fund(plan.token, bob, { allowance: maxUint256 })
  await protocol.send(otherProvider, 'cancelSubscription', [plan])
  await protocol.send(janitor, 'cleanupCancelledSubscribers', [{ ...plan, cancelled: true }])
}

async function paymentsTo(address: Address) {
  const found = []
  for await (const payment of client.each.listProviderPayments({ address })) found.push(payment)
  return found
}

async function proofOf({ transactionHash, logIndex }: { transactionHash: Hex; logIndex: number }) {
  const { proof } = await client.getPayment({ txHash: transactionHash, logIndex, proof: true })
  if (proof === undefined) throw new Error('the answer has no proof')
  return proof
}

/** What the reader of a proof has of his own. */
const knownOf = ({ blockHash }: PaymentProof) => ({ blockHash, contract })

/** The file with one byte of it changed, in a region that is chosen first: header, nodes, places or words. */
function altered(proof: PaymentProof, choose: Random): unknown {
  const copy = structuredClone<unknown>(proof) as Mutable
  const { receipt, payment } = copy
  switch (choose.weighted({ header: 2, nodes: 5, index: 1, log: 1, words: 3, missing: 1, more: 1 })) {
    case 'header':
      copy.header = flipped(copy.header, choose)
      break
    case 'nodes': {
      const node = choose.below(receipt.nodes.length)
      receipt.nodes[node] = flipped(receipt.nodes[node] ?? '', choose)
      break
    }
    case 'index':
      receipt.transactionIndex += 1 + choose.below(300)
      break
    case 'log':
      receipt.log += choose.oneIn(2) ? 1 : 1_000
      break
    case 'words': {
      const name = choose.pick(SAID)
      const value = payment[name]
      payment[name] = typeof value === 'number' ? value + 1 : flipped(String(value), choose)
      break
    }
    case 'missing':
      receipt.nodes.splice(choose.below(receipt.nodes.length), 1)
      break
    case 'more':
      receipt.nodes.splice(choose.below(receipt.nodes.length + 1), 0, choose.pick(receipt.nodes))
  }
  return copy
}

interface Mutable {
  header: string
  receipt: { transactionIndex: number; nodes: string[]; log: number }
  payment: Record<string, string | number>
}

/** What both verifiers derive. How a fee is shared out over payments is the client’s alone. */
const SAID = [
  'kind',
  'subscriptionId',
  'provider',
  'subscriber',
  'token',
  'dayNumber',
  'charged',
  'toProvider',
  'toFeeBalance',
  'toSubscriber',
] as const

/** What the verifier in Python says of each. */
async function inPython(asked: readonly object[]): Promise<readonly string[]> {
  if (PYTHON === undefined) throw new Error('Python is not installed')
  const lines = await new Promise<string>((resolve, reject) => {
    const options = { maxBuffer: 64 * 1024 * 1024 }
    const program = execFile(
      PYTHON,
      [join(import.meta.dirname, 'verifyPayments.py')],
      options,
      (error, text) => (error === null ? resolve(text) : reject(error)),
    )
    program.stdin?.end(asked.map((each) => `${JSON.stringify(each)}\n`).join(''))
  })
  return lines.trim().split('\n')
}

describe('the proof of a payment', () => {
  it('shows payments of every kind, against nothing but the hash of their block', () => {
    for (const proof of proofs) {
      const { payment, block } = verifyPaymentProof(JSON.parse(JSON.stringify(proof)), knownOf(proof))
      expect(payment).toEqual(proof.payment)
      expect(block.hash).toBe(proof.blockHash)
    }
    expect(new Set(proofs.map(({ payment }) => payment.kind))).toEqual(new Set(KINDS))
    // Alone in its block, and one of several.
    expect(proofs.some(({ receipt }) => receipt.transactionIndex > 1)).toBe(true)
  })

  it('is refused with any part of it altered', () => {
    const choose = randomOf(7)
    for (const proof of proofs) {
      for (let mutation = 0; mutation < MUTATIONS; mutation += 1) {
        const other = altered(proof, choose)
        expect(() => verifyPaymentProof(other, knownOf(proof)), JSON.stringify(other)).toThrow(
          ProofRefusedError,
        )
      }
    }
  })

  it('is refused for another block, and for another contract that logs the same', () => {
    const [one, ...others] = proofs
    const other = others.find(({ blockHash }) => blockHash !== one?.blockHash)
    if (one === undefined || other === undefined) throw new Error('all payments are in one block')
    expect(() => verifyPaymentProof(one, knownOf(other))).toThrow('another block')
    expect(() => verifyPaymentProof({ ...one, blockHash: other.blockHash }, knownOf(other))).toThrow(
      'the header is not that of the block',
    )
    const elsewhere = { blockHash: one.blockHash, contract: chain.tokens.usdc }
    expect(() => verifyPaymentProof(one, elsewhere)).toThrow('another contract')
    expect(() => verifyPaymentProof({ ...one, contract: elsewhere.contract }, elsewhere)).toThrow(
      'no payment begins at that log',
    )
  })

  it.each([null, 7, 'proof', {}, { type: 'remit-payment-1' }])(
    'is refused where %j came in its place',
    (proof) => {
      expect(() => verifyPaymentProof(proof, { blockHash: `0x${'00'.repeat(32)}`, contract })).toThrow(
        ProofRefusedError,
      )
    },
  )

  it.skipIf(PYTHON === undefined)(
    'is judged the same by a program in Python that shares no code with it',
    async () => {
      const choose = randomOf(8)
      const asked = proofs.flatMap((proof) => [
        { proof, ...knownOf(proof) },
        { proof: altered(proof, choose), ...knownOf(proof) },
      ])
      const said = await inPython(asked)
      expect(said.filter((_, index) => index % 2 === 0).filter((verdict) => verdict !== 'ok')).toEqual([])
      expect(said.filter((verdict, index) => index % 2 === 1 && verdict === 'ok')).toEqual([])
      expect(said).toHaveLength(asked.length)
    },
    trialsTimeoutMs(60_000),
  )
})
