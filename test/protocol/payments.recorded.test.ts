import { readLife } from '@remit/contracts/replay'
import { decodeTokenLog } from '@remit/protocol/logs/events'
import { matchPayments } from '@remit/protocol/payments/matchPayments'
import { CHARGES, PAYMENT_KINDS, type Payment } from '@remit/protocol/payments/Payment'
import type { Address } from 'viem'
import { describe, expect, it } from 'vitest'
import { CONTRACT, RecordedLife } from './recordedLife.ts'
import { encodeRecorded } from './recordedLogs.ts'

const LIVES = [1, 11, 12]
const kinds = new Set<string>()

describe('payments, matched from the logs of the deployed contract', () => {
  it.each(LIVES)('are all that its transactions moved, to the last unit, in life %i', (number) => {
    const recording = readLife(new URL(`../recorded/life-${number}.json`, import.meta.url).pathname)
    const life = new RecordedLife(recording)
    const books = new Books()
    let systemReceiver = life.address('admin')
    for (const [index, step] of [...recording.setup, ...recording.steps].entries()) {
      if (step.status === 'revert') continue
      if (step.call === 'changeSysFeeReceiver') systemReceiver = life.address(String(step.args[0]))
      const logs = encodeRecorded(step.logs, (name) => life.address(name))
      if (step.in === 'contract') {
        const payments = matchPayments(logs, CONTRACT, (token) => life.decimals(token))
        for (const payment of payments) {
          kinds.add(payment.kind)
          expect(payment.isStated).toBe(true)
          books.pay(payment, { caller: life.address(step.from), systemReceiver })
        }
      } else {
        for (const log of logs) {
          const moved = decodeTokenLog(log)
          if (moved?.type === 'Transfer') books.move(log.address, moved.from, moved.to, moved.amountRaw)
        }
      }
      const snapshot = recording.snapshots[index - recording.setup.length]
      if (snapshot === undefined) continue
      for (const [token, balances] of Object.entries(snapshot.balances)) {
        for (const [account, balance] of Object.entries(balances)) {
          const booked = books.balance(life.address(token), life.address(account))
          expect([index, token, account, booked.toString()]).toEqual([index, token, account, balance])
        }
      }
    }
  })

  it('were of every kind', () => {
    const all = PAYMENT_KINDS.filter((kind) => kind !== 'cancelled')
    expect([...kinds].sort()).toEqual([...all].sort())
  })
})

/** The balances that payments lead to. */
class Books {
  readonly #balances = new Map<string, bigint>()

  balance(token: Address, account: Address): bigint {
    return this.#balances.get(`${token} ${account}`.toLowerCase()) ?? 0n
  }

  move(token: Address, from: Address, to: Address, amount: bigint): void {
    for (const [account, change] of [
      [from, -amount],
      [to, amount],
    ] as const) {
      this.#balances.set(`${token} ${account}`.toLowerCase(), this.balance(token, account) + change)
    }
  }

  pay(payment: Payment, fees: { readonly caller: Address; readonly systemReceiver: Address }): void {
    const { kind, token, subscriber, provider } = payment
    this.move(token, CHARGES.includes(kind) ? subscriber : CONTRACT, provider, payment.toProvider)
    this.move(token, subscriber, CONTRACT, payment.toFeeBalance)
    this.move(token, CONTRACT, subscriber, payment.toSubscriber)
    this.move(token, CONTRACT, fees.caller, payment.callerFee)
    this.move(token, CONTRACT, fees.systemReceiver, payment.systemShare)
  }
}
