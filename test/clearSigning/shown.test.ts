import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { Subscriptions } from '@remit/contracts/Subscriptions'
import { type Address, encodeFunctionData, type Hex, parseUnits } from 'viem'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { findBuilt } from '../support/programs/installed.ts'
import { deployments, FILE, text } from './descriptor.ts'

const LIBRARY = join(import.meta.dirname, 'node_modules/@ethereum-sourcify/clear-signing/dist/index.js')
const isInstalled = findBuilt('what wallets read descriptors with (`npm ci` in test/clearSigning/)', LIBRARY)

/** What this uses of it. Its own types are there only where it is installed. */
const Library = z.object({
  format: z.custom<(call: object, options: object) => Promise<unknown>>(
    (value) => typeof value === 'function',
  ),
})
const Model = z.object({
  intent: z.unknown().optional(),
  interpolatedIntent: z.unknown().optional(),
  fields: z.array(z.looseObject({ label: z.string().optional(), value: z.unknown().optional() })).default([]),
  rawCalldataFallback: z.unknown().optional(),
  warnings: z.array(z.looseObject({ code: z.string() })).default([]),
})

const USDC: Address = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913'
const PROVIDER: Address = '0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045'
const ID: Hex = `0x${'ab'.repeat(32)}`
const plan = {
  id: ID,
  amount: parseUnits('9.99', 18),
  provider: PROVIDER,
  token: USDC,
  cancelled: false,
  frequency: 1,
  dueDay: 15,
}

/** What a wallet with this descriptor shows of a call. */
async function shown(chainId: number, data: Hex) {
  const at = deployments.find((one) => one.chainId === chainId)?.address ?? ''
  const index = { calldataIndex: { [`eip155:${chainId}:${at.toLowerCase()}`]: FILE }, typedDataIndex: {} }
  const resolver = { index, fetchDescriptor: async () => JSON.parse(text) }
  const { format } = Library.parse(await import(pathToFileURL(LIBRARY).href))
  const model = Model.parse(
    await format({ chainId, to: at, data }, { descriptorResolverOptions: { type: 'custom', resolver } }),
  )
  const fields = model.fields.map(({ label, value }) => [label, value])
  return {
    intent: model.intent,
    sentence: model.interpolatedIntent,
    fields: Object.fromEntries(fields),
    raw: model.rawCalldataFallback,
    warnings: model.warnings,
  }
}

describe.skipIf(isInstalled === undefined)('a wallet with the descriptor', () => {
  it.each([8453, 84532])('shows an offer in words, on chain %d', async (chainId) => {
    const data = encodeFunctionData({
      abi: Subscriptions.abi,
      functionName: 'createSubscription',
      args: [plan.amount, USDC, { url: 'https://news.example', description: 'The paper' }, 1, 15],
    })
    const { raw, intent, sentence, fields } = await shown(chainId, data)
    expect(raw).toBeUndefined()
    expect({ intent, sentence, fields }).toMatchObject({
      intent: 'Offer a subscription',
      sentence: expect.stringMatching(/^Offer a subscription for 9\.99 ?tokens every month on day 15$/),
      fields: {
        Charged: 'every month',
        'Due day': '15',
        Link: 'https://news.example',
        Description: 'The paper',
      },
    })
  })

  it.each(['subscribe', 'unsubscribe', 'cancelSubscription'] as const)(
    'says of %s what is only stated',
    async (functionName) => {
      const { raw, fields } = await shown(
        8453,
        encodeFunctionData({ abi: Subscriptions.abi, functionName, args: [plan] }),
      )
      expect(raw).toBeUndefined()
      expect(fields).toMatchObject({
        Subscription: ID,
        'Amount, as stated': expect.stringMatching(/^9\.99 ?tokens$/),
        'Charged, as stated': 'every month',
        'Due day, as stated': '15',
      })
    },
  )

  it('shows the other calls without a warning of its own', async () => {
    const calls = [
      encodeFunctionData({
        abi: Subscriptions.abi,
        functionName: 'unsubscribeByProvider',
        args: [plan, USDC],
      }),
      encodeFunctionData({
        abi: Subscriptions.abi,
        functionName: 'editDetails',
        args: [{ url: '', description: 'New' }, ID],
      }),
      encodeFunctionData({
        abi: Subscriptions.abi,
        functionName: 'editProvDetails',
        args: [{ description: 'd', company: 'News', url: '', domain: 'news.example', email: 'm', misc: '' }],
      }),
      encodeFunctionData({ abi: Subscriptions.abi, functionName: 'remit' }),
    ]
    for (const data of calls) {
      const { raw, intent, warnings } = await shown(8453, data)
      expect({ raw, intent }).toEqual({ raw: undefined, intent: expect.any(String) })
      expect(warnings.map(({ code }) => code).filter((code) => code === 'INVALID_DESCRIPTOR')).toEqual([])
    }
  })
})
