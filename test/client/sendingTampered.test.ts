import { UnexpectedAnswerError } from '@remit/client/testing/errors/RemitError'
import { UnsafeTransactionError } from '@remit/client/testing/sending/errors'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { trials, trialsTimeoutMs } from '../support/runner/trials.ts'
import { lie } from './lying/Lie.ts'
import { type FlowCase, useLyingGround } from './lying/useLyingGround.ts'
import type { Batch } from './lying/Wire.ts'

const { proxy, flows, chainId, ask } = await useLyingGround()

/** Sends an answer that was shown and is changed, and sees that nothing is asked of the wallet. */
async function expectRefusal(flow: FlowCase, change: (batch: Batch) => void): Promise<void> {
  proxy.begin(
    lie('has one field changed', (batch) => {
      change(batch)
      return batch
    }),
  )
  const { requests, failure } = await ask(flow, 'with wallet_sendCalls', chainId, { beforehand: true })
  expect(proxy.untold()).toBeUndefined()
  expect(requests).toEqual([])
  if (!(failure instanceof UnsafeTransactionError || failure instanceof UnexpectedAnswerError)) {
    throw new Error(`It was not refused by name: ${String(failure)}`, { cause: failure })
  }
}

/** What of it is signed. */
async function signedBy(flow: FlowCase): Promise<Partial<Batch>> {
  const seen: Batch[] = []
  proxy.begin(
    lie('is looked at', (batch) => {
      seen.push(batch)
      return 'it is only looked at'
    }),
  )
  await ask(flow, 'with wallet_sendCalls', chainId, { beforehand: true })
  const [batch] = seen
  if (batch === undefined) throw new Error('Nothing was prepared')
  const { chainId: chain, unsignedTransactions } = batch
  return { chainId: chain, unsignedTransactions }
}

describe.each(Object.entries(flows))('%s', (_, flow) => {
  it(
    'is refused with any single field of it changed',
    async () => {
      const places = leavesOf(await signedBy(flow))
      expect(places.length).toBeGreaterThanOrEqual(6)
      for (const place of places) await expectRefusal(flow, (batch) => alter(batch, place, 0.999))
      // Then anywhere in the calldata, where most of what matters is.
      const calldata = places.filter((place) => place.at(-1) === 'data')
      await fc.assert(
        fc.asyncProperty(
          fc.constantFrom(...calldata),
          fc.double({ min: 0, max: 0.999, noNaN: true }),
          (place, where) => expectRefusal(flow, (batch) => alter(batch, place, where)),
        ),
        { numRuns: trials({ short: 4, nightly: 150 }) },
      )
    },
    trialsTimeoutMs(30_000),
  )
})

type Place = readonly (string | number)[]

/** Where a value that is not made of others stands. */
function leavesOf(value: unknown, place: Place = []): Place[] {
  if (typeof value !== 'object' || value === null) return [place]
  return Object.entries(value).flatMap(([key, inner]) => leavesOf(inner, [...place, key]))
}

/** Changes one leaf: a hex digit of hex, so far along, or the value itself. */
function alter(batch: Batch, place: Place, where: number): void {
  const holder = place.slice(0, -1).reduce<unknown>((value, key) => Reflect.get(Object(value), key), batch)
  const key = String(place.at(-1))
  const old: unknown = Reflect.get(Object(holder), key)
  Reflect.set(Object(holder), key, altered(old, where))
}

function altered(value: unknown, where: number): unknown {
  switch (typeof value) {
    case 'number':
      return value + 1
    case 'boolean':
      return !value
    default: {
      const text = String(value)
      if (!text.startsWith('0x')) return `${text}x`
      const index = 2 + Math.floor(where * (text.length - 2))
      const digit = (Number.parseInt(text.charAt(index), 16) + 1) % 16
      return text.slice(0, index) + digit.toString(16) + text.slice(index + 1)
    }
  }
}
