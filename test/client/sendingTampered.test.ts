import * as fc from 'fast-check'
import { maxUint256 } from 'viem'
import { describe, expect, it } from 'vitest'
import { type Batch, retransact, useLyingService } from './lyingService.ts'

const { chain, api, cases, flowsOver, injected, preparedFor, refusal, approval } = await useLyingService()
const { stranger } = chain.wallets

describe.each(Object.entries(cases))('%s with an honest service', (_, flow) => {
  it('passes the check, so that the refusals below mean something', async () => {
    const { wallet, signatures } = injected(flow.account, { approvals: 0 })
    await expect(flow.send(flowsOver(api), wallet)).rejects.toMatchObject({ code: 'USER_REJECTED' })
    expect(signatures()).toHaveLength(1)
  })

  it('is refused with any single field of it changed', async () => {
    const prepared = await preparedFor(flow)
    const { chainId, signingMode, unsignedTransactions, eip5792 } = prepared
    const signed = { chainId, signingMode, unsignedTransactions, ...(eip5792 && { eip5792 }) }
    const places = leavesOf(signed)
    expect(places.length).toBeGreaterThanOrEqual(7)
    for (const place of places) await refusal(flow, prepared, (batch) => alter(batch, place, 0.999))
    // Then anywhere in the calldata, where most of what matters is.
    const calldata = places.filter((place) => place.at(-1) === 'data')
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...calldata),
        fc.double({ min: 0, max: 0.999, noNaN: true }),
        (place, where) => refusal(flow, prepared, (batch) => alter(batch, place, where)).then(() => {}),
      ),
      { numRuns: 15 },
    )
  })

  it('is refused with a transaction added, before or after', async () => {
    const prepared = await preparedFor(flow)
    const added = { ...approval(maxUint256, { spender: stranger }), from: flow.account }
    await refusal(
      flow,
      prepared,
      retransact((all) => [added, ...all]),
    )
    await refusal(
      flow,
      prepared,
      retransact((all) => [...all, added]),
    )
    await refusal(
      flow,
      prepared,
      retransact((all) => [...all, ...all]),
    )
    await refusal(
      flow,
      prepared,
      retransact(() => []),
    )
  })
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
    case 'bigint':
      return value + 1n
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
