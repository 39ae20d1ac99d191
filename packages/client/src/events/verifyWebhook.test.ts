import { createPublicKey, generateKeyPairSync, verify } from 'node:crypto'
import { mintSecret, signedHeaders } from '@remit/service/testing/webhooks/signing/signatures'
import { Webhook } from 'standardwebhooks'
import { describe, expect, it } from 'vitest'
import { verifyWebhook, WebhookVerificationError } from './verifyWebhook.ts'

const { privateKey } = generateKeyPairSync('ed25519')
const ADDRESS = '0xe7f1725E7734CE288F8367e1Bb143E90bb3F0512'
const NOW = Math.floor(Date.now() / 1_000)
const time = '2026-01-20T10:00:00Z'
const test = { type: 'webhook.test', id: 'evt_1', data: { webhookId: 'Grüße, 世界' } }
const body = JSON.stringify({ ...test, time })
const read = { ...test, time: new Date(time) }
const message = { id: 'evt_1', timestamp: NOW, body }
const [secret, old] = [mintSecret(), mintSecret()]
const headers = signedHeaders(message, [secret], privateKey)

describe('a signature of the service', () => {
  it('is verified by standardwebhooks, by the client and by the public key', async () => {
    expect(new Webhook(secret).verify(body, headers)).toEqual(JSON.parse(body))
    expect(await verifyWebhook(headers, body, secret)).toEqual(read)
    expect(await verifyWebhook(new Headers(headers), body, secret)).toEqual(read)
    const signature = /v1a,(\S+)/.exec(headers['webhook-signature'] ?? '')?.[1] ?? ''
    const signed = Buffer.from(`evt_1.${NOW}.${body}`)
    const key = createPublicKey(privateKey)
    expect(verify(null, signed, key, Buffer.from(signature, 'base64'))).toBe(true)
  })

  it('fits either secret while one replaces the other', async () => {
    const both = signedHeaders(message, [secret, old], privateKey)
    for (const known of [secret, old, [old, mintSecret()]]) {
      expect(await verifyWebhook(both, body, known)).toEqual(read)
    }
    expect(new Webhook(old).verify(body, both)).toEqual(JSON.parse(body))
  })
})

describe('the client', () => {
  it('verifies what standardwebhooks signs', async () => {
    const signature = new Webhook(secret).sign('evt_1', new Date(NOW * 1_000), body)
    const theirs = { 'webhook-id': 'evt_1', 'webhook-timestamp': String(NOW), 'webhook-signature': signature }
    expect(await verifyWebhook(theirs, body, secret)).toEqual(read)
  })

  it('reads an event as the list of events does, and one of a type that only a newer service has', async () => {
    const fields = { id: `evt_${'1'.repeat(40)}`, chainId: 1, sequence: 7, time }
    const about = {
      block: { number: 2, hash: `0x${'1'.repeat(64)}`, timestamp: NOW },
      transactionHash: null,
      logIndex: null,
      finality: 'seen',
      subject: { subscriptionId: null, provider: null, account: null, token: null },
    }
    const day = { dayNumber: 20_000, date: '2024-10-04' }
    const missing = { amount: '1', amountRaw: '1000000', tokenDecimals: 6 }
    const risk = {
      dueDay: day,
      reason: 'balance',
      token: null,
      missingAllowance: null,
      missingBalance: missing,
    }
    const verified = async (event: object) => {
      const text = JSON.stringify(event)
      return verifyWebhook(signedHeaders({ ...message, body: text }, [secret], privateKey), text, secret)
    }
    const atRisk = await verified({ type: 'payment.at_risk', ...fields, ...about, data: risk })
    if (atRisk.type !== 'payment.at_risk') throw new Error(`it is ${atRisk.type}`)
    expect(atRisk.time).toEqual(read.time)
    expect(atRisk.data.missingBalance?.amountRaw).toBe(1_000_000n)
    const newer = { type: 'payment.found', ...fields, ...about, data: { missingBalance: missing } }
    expect(await verified(newer)).toEqual({ ...newer, time: atRisk.time })
    await expect(verified({ type: 'payment.at_risk', ...fields })).rejects.toThrow('An event cannot be read')
    const data = { webhookId: 'wh_1', description: null, reason: 'gone', failingSince: null }
    const told = { type: 'webhook.paused', id: fields.id, time: fields.time, data }
    expect(await verified(told)).toEqual({ ...told, time: atRisk.time })
    const rescue = { rescueId: 'rescue_1', provider: ADDRESS, owner: ADDRESS, token: ADDRESS, value: '50' }
    const rest = { deadline: 1_800_000_000, nonce: '0', subscriptions: [] }
    const offered = { ...told, type: 'rescue.offered', chainId: 8453, data: { ...rescue, ...rest } }
    expect(await verified(offered)).toEqual({
      ...offered,
      time: atRisk.time,
      data: { ...offered.data, value: 50n, nonce: 0n },
    })
    const challenge = { type: 'webhook.challenge', id: 'evt_2', challenge: 'q83v' }
    expect(await verified(challenge)).toEqual(challenge)
    await expect(verified({ ...challenge, challenge: 1 })).rejects.toThrow('An event cannot be read')
    const later = { type: 'webhook.renamed', id: 'evt_3', time: 'soon' }
    expect(await verified(later)).toEqual(later)
  })

  it.each<[string, Record<string, string>, string, string]>([
    ['another body', headers, `${body} `, secret],
    ['another id', { ...headers, 'webhook-id': 'evt_2' }, body, secret],
    ['another secret', headers, body, mintSecret()],
    ['no secret at all', headers, body, 'whsec_'],
    ['another time', { ...headers, 'webhook-timestamp': String(NOW + 1) }, body, secret],
    ['no time', { ...headers, 'webhook-timestamp': 'now' }, body, secret],
    ['a missing header', { 'webhook-id': 'evt_1', 'webhook-timestamp': String(NOW) }, body, secret],
    ['a signature that is no Base64', { ...headers, 'webhook-signature': 'v1,***' }, body, secret],
    ['an unknown version only', { ...headers, 'webhook-signature': 'v2,AAAA' }, body, secret],
  ])('refuses %s', async (_what, given, text, known) => {
    await expect(verifyWebhook(given, text, known)).rejects.toThrow(WebhookVerificationError)
  })

  it('takes no clock and no tolerance that is no number: everything would be of now', async () => {
    const late = { now: () => (NOW + 10_000) * 1_000 }
    for (const nothing of [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]) {
      await expect(verifyWebhook(headers, body, secret, { now: () => nothing })).rejects.toThrow(RangeError)
      await expect(
        verifyWebhook(headers, body, secret, { ...late, toleranceSeconds: nothing }),
      ).rejects.toThrow(RangeError)
    }
  })

  it('refuses what was sent long ago, or is from the future, unless the tolerance allows it', async () => {
    for (const seconds of [-301, 301]) {
      const late = { now: () => (NOW + seconds) * 1_000 }
      await expect(verifyWebhook(headers, body, secret, late)).rejects.toThrow('not sent just now')
      expect(await verifyWebhook(headers, body, secret, { ...late, toleranceSeconds: 600 })).toBeDefined()
    }
  })
})
