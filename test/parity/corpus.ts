import type { Operation } from '@remit/service/testing/calls/serviceOperation'
import * as z from 'zod'
import { type Life, STRANGE_ID } from './life.ts'
import type { Input } from './surfaces.ts'

/** The fields of an input that take more than one value. */
export function choicesOf({ input }: Operation): string[] {
  const { properties = {} } = z.toJSONSchema(input, { io: 'input' })
  return Object.keys(properties).filter((name) => !('const' in Object(properties[name])))
}

/** Inputs that an operation takes, is not ready for, does not know, or refuses. */
export function corpusOf(life: Life, operation: Operation): Input[] {
  const sample = life.sample(operation)
  const { stranger, bob } = life.chain.wallets
  const fields = choicesOf(operation)
  const variants: Input = {
    readinessOnly: true,
    infiniteApproval: true,
    keepCoverage: true,
    approvalPeriods: 3,
    simulateFromAddress: bob,
    from: stranger,
    id: STRANGE_ID,
    dueDay: 200,
    amount: '0.0000001',
    nonce: 7,
    date: '2026-03-09',
    dayNumber: 20_521,
    description: 'Tea & cake + 100 % “süß” = a/b?c#d;e',
    details: { url: '', description: 'Tea & cake + 100 % “süß” = a/b?c#d;e' },
    subscription: { ...Object(sample.subscription), amount: '11', cancelled: true },
  }
  const varied = fields
    .filter((name) => name in variants)
    .map((name) => ({ ...sample, [name]: variants[name] }))
  const nested = 'details' in sample ? [{ ...sample, details: { ...Object(sample.details), more: 'x' } }] : []
  return [sample, ...varied, ...nested, { ...sample, surplus: 'x' }, { ...sample, 'sur.plus': 'x' }, {}]
}
