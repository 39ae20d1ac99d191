import { hasUnsafeCharacters } from '@remit/protocol/text'
import fc from 'fast-check'
import { stringToHex } from 'viem'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { protocolOn } from './support/chain/protocolOn.ts'
import { useTestChain } from './support/chain/useTestChain.ts'
import { trials, trialsTimeoutMs } from './support/runner/trials.ts'
import { useTestService } from './support/service/testService.ts'

const chain = await useTestChain()
const subscription = await protocolOn(chain).create()
await chain.keep()
const service = await useTestService([chain])
const { provider } = chain.wallets

const RUNS = trials({ short: 12, nightly: 500 })

/** Halves of surrogate pairs, marks of byte order, what has no width, what is cut at 255 bytes. */
const PART = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 20 }),
  fc.string({ unit: 'grapheme', maxLength: 20 }),
  fc.constantFrom(
    '\ufeff',
    '\u0000',
    '\ud800',
    '\udc00',
    '\ufffe',
    '\u200b',
    '\u200d',
    '\u202e',
    '\u00ad',
    ' ',
  ),
  fc
    .constantFrom('x', 'é', '€', '💥')
    .chain((unit) => fc.integer({ min: 60, max: 260 }).map((count) => unit.repeat(count))),
)
const TEXT = fc.array(PART, { maxLength: 4 }).map((parts) => parts.join(''))

const bytesOf = (text: string) => new TextEncoder().encode(text).length
const isFit = (text: string) => !hasUnsafeCharacters(text) && bytesOf(text) <= 255

const Refused = z.object({ code: z.string(), issues: z.array(z.object({ path: z.string() })) })
const Prepared = z.object({
  unsignedTransactions: z.tuple([z.object({ data: z.string() })]),
  simulation: z.object({
    calls: z.tuple([z.object({ events: z.tuple([z.object({ args: z.record(z.string(), z.unknown()) })]) })]),
  }),
})

function expectRefused(answer: unknown, field: string): void {
  const { code, issues } = Refused.parse(answer)
  expect(code).toBe('VALIDATION_ERROR')
  expect(new Set(issues.map(({ path }) => path))).toEqual(new Set([field]))
}

describe('a text is carried whole or refused by its name, and never fails the service', () => {
  const profile = { description: '', company: '', url: '', domain: '', email: '', misc: '' }
  const prepares = [
    {
      path: '/prepare/edit_details',
      field: 'details.description',
      body: (text: string) => ({
        from: provider,
        id: subscription.id,
        details: { url: '', description: text },
      }),
      logged: 'description',
    },
    {
      path: '/prepare/edit_provider_details',
      field: 'misc',
      body: (text: string) => ({ from: provider, ...profile, misc: text }),
      logged: 'misc',
    },
    {
      path: '/prepare/edit_provider_details',
      field: 'company',
      body: (text: string) => ({ from: provider, ...profile, company: text }),
      logged: 'company',
    },
  ] as const

  it.each(prepares)(
    '$field of $path',
    async ({ path, field, body, logged }) => {
      await fc.assert(
        fc.asyncProperty(TEXT, async (text) => {
          const { status, body: answer } = await service.post(path, body(text))
          if (!isFit(text)) {
            expect(status).toBe(400)
            expectRefused(answer, field)
            return
          }
          expect(status).toBe(200)
          const { unsignedTransactions, simulation } = Prepared.parse(answer)
          expect(unsignedTransactions[0].data).toContain(stringToHex(text).slice(2))
          // The contract's log says the same back.
          expect(simulation.calls[0].events[0].args[logged]).toBe(text)
        }),
        { numRuns: RUNS, endOnFailure: true },
      )
    },
    trialsTimeoutMs(30_000),
  )

  it.each(['\ufeffA plan', 'A \ufeffplan', '\ufeff'])('a byte order mark is refused: %j', async (text) => {
    for (const { path, field, body } of prepares) {
      const { status, body: answer } = await service.post(path, body(text))
      expect(status).toBe(400)
      expectRefused(answer, field)
    }
    const url = `https://plan.example/${text}`
    const details = { url, description: '' }
    const edit = await service.post('/prepare/edit_details', { from: provider, id: subscription.id, details })
    expect(edit.status).toBe(400)
    expectRefused(edit.body, 'details.url')
  })
})
