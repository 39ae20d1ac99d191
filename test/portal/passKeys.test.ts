import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { verifyPass } from '@remit/client'
import { Passes } from '@remit/service/testing/access/passes/Passes'
import { StoreAccess } from '@remit/service/testing/access/StoreAccess'
import { openStore } from '@remit/service/testing/store/openStore'
import { SecretBox } from '@remit/service/testing/store/SecretBox'
import { afterAll, expect, it } from 'vitest'

const folder = mkdtempSync(join(tmpdir(), 'remit-pass-keys-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const DAY = 86_400
const SHOP = 'https://shop.example'
const ISSUER = 'https://remit.example'
const BEGIN = Date.UTC(2026, 2, 1) / 1000

let files = 0

/** A service's passes from the first day on, by a clock that the test moves. Replicas share the store. */
async function openPasses(secrets = [randomBytes(32).toString('hex')]) {
  files += 1
  const store = await openStore(`file:${join(folder, `${files}.db`)}`)
  const clock = { days: 0 }
  const now = () => (BEGIN + clock.days * DAY) * 1000
  const warned: string[] = []
  const log = { info: () => {}, error: () => {}, warn: (message: string) => void warned.push(message) }
  const replica = (keys = secrets) =>
    new Passes({
      store,
      access: new StoreAccess(log),
      box: new SecretBox(keys),
      log,
      now,
      graceDays: 0,
      issuer: () => ISSUER,
    })
  return { clock, replica, warned, now: () => now() / 1000, close: () => store.close() }
}

const claims = {
  audience: SHOP,
  chainId: 8453,
  contractAddress: `0x${'11'.repeat(20)}`,
  subscriptionId: `0x${'22'.repeat(32)}`,
  subscriber: '0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045',
  block: { number: 1, hash: `0x${'33'.repeat(32)}` },
  entitledThrough: BEGIN + 400 * DAY,
}

const kidOf = (pass: string): unknown =>
  JSON.parse(Buffer.from(pass.split('.')[0] ?? '', 'base64url').toString()).kid
/** The keys as a server of somebody else keeps them. */
const keysOf = async (passes: Passes) => ({ keys: [...(await passes.keys())] })
const idsOf = async (passes: Passes) => (await passes.keys()).map(({ kid }) => kid)

it('the next key is published before it signs and the last one after it, so that every pass holds to its end', async () => {
  const { clock, replica, now, close } = await openPasses()
  const [here, there] = [replica(), replica()]
  const [first] = await idsOf(here)
  expect(await idsOf(there)).toEqual([first])
  /** From yesterday. */
  let kept = await keysOf(here)
  const signed = new Set<unknown>()
  for (let day = 0; day <= 62; day += 1) {
    clock.days = day
    const { pass, expiresAt } = await (day % 2 === 0 ? here : there).issue(claims, DAY)
    signed.add(kidOf(pass))
    const shown = await idsOf(here)
    expect(shown).toContain(kidOf(pass))
    expect(await idsOf(there)).toEqual(shown)
    const options = { audience: SHOP, issuer: ISSUER }
    // By the keys of yesterday now, and by those of tomorrow until it expires.
    await verifyPass(pass, { ...options, keys: kept, now: now() })
    kept = await keysOf(here)
    clock.days = day + 1
    await verifyPass(pass, { ...options, keys: await keysOf(here), now: expiresAt - 1 })
  }
  expect(signed.size).toBe(3)
  // One at a time, but for the days about a change.
  clock.days = 70
  expect(await idsOf(replica())).toHaveLength(1)
  expect(await idsOf(replica())).not.toContain(first)
  await close()
})

it('about a change both keys are public, and new passes name the new one', async () => {
  const { clock, replica, close } = await openPasses()
  const passes = replica()
  const [old] = await idsOf(passes)
  const steps: [number, number, boolean][] = []
  for (const day of [27, 28, 29.9, 30, 31.9, 32]) {
    clock.days = day
    const { pass } = await passes.issue(claims, DAY)
    steps.push([day, (await idsOf(passes)).length, kidOf(pass) === old])
  }
  expect(steps).toEqual([
    [27, 1, true],
    [28, 2, true],
    [29.9, 2, true],
    [30, 2, false],
    [31.9, 2, false],
    [32, 1, false],
  ])
  await close()
})

it('with another SECRETS_KEY another key signs, and passes of the old one hold', async () => {
  const { replica, warned, now, close } = await openPasses()
  const { pass } = await replica().issue(claims, DAY)
  const changed = replica([randomBytes(32).toString('hex')])
  const next = await changed.issue(claims, DAY)
  expect(kidOf(next.pass)).not.toBe(kidOf(pass))
  expect(warned).toContain('A key of passes cannot be opened, so another one signs')
  const keys = await keysOf(changed)
  for (const shown of [pass, next.pass]) {
    await verifyPass(shown, { keys, audience: SHOP, issuer: ISSUER, now: now() })
  }
  await close()
})
