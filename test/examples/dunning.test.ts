import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, expect, it } from 'vitest'
import * as z from 'zod'
import { protocolOn } from '../support/chain/protocolOn.ts'
import { mineAgain, reorganise } from '../support/chain/reorganise.ts'
import { useTestChain } from '../support/chain/useTestChain.ts'
import { useClientPackage } from '../support/programs/useClientPackage.ts'
import { freePort } from '../support/service/freePort.ts'
import { ADMIN_SECRET, useTestService } from '../support/service/testService.ts'
import { useSmtpSink } from './smtpSink.ts'

const chain = await useTestChain({ goesOn: true })
const protocol = protocolOn(chain)
const { alice, bob } = chain.wallets
// Due on Wednesday, in two days.
const [weekly, other] = [await protocol.create({ dueDay: 3 }), await protocol.create({ dueDay: 5 })]
const service = await useTestService([chain], {
  WEBHOOKS: 'true',
  WEBHOOKS_ALLOW_LOOPBACK: 'true',
  SWEEP_REQUESTS_PER_HOUR: '10000',
})
const sink = await useSmtpSink()

const { project } = await useClientPackage()
cpSync(fileURLToPath(new URL('../../examples/dunning', import.meta.url)), join(project, 'dunning'), {
  recursive: true,
})
writeFileSync(join(project, 'customers.json'), JSON.stringify({ [alice]: 'alice@example.com' }))
const port = await freePort()
let running: ChildProcess | undefined
afterAll(() => running?.kill())

/** Starts the example as its reader does, with what it has kept. */
async function start(secret?: string): Promise<void> {
  if (running !== undefined) {
    running.kill()
    await once(running, 'exit')
  }
  const environment = {
    REMIT_URL: service.url,
    SMTP_URL: sink.url,
    PORT: String(port),
    ...(secret !== undefined && { WEBHOOK_SECRET: secret }),
  }
  const started = spawn(process.execPath, ['--import', 'tsx', 'dunning/dunning.ts'], {
    cwd: project,
    env: { PATH: process.env.PATH, ...environment },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  running = started
  await new Promise<void>((resolve, reject) => {
    started.stdout.once('data', () => resolve())
    started.once('exit', () => reject(new Error('the example has ended')))
  })
}

const Made = z.object({ webhook: z.object({ id: z.string() }), secret: z.string() })
const Key = z.object({ token: z.string() })

it('writes once before a payment fails and once when it is safe, and corrects what a reorganisation took back', async () => {
  await service.caughtUp()
  const operator = { headers: { Authorization: `Bearer ${ADMIN_SECRET}` } }
  const { token } = Key.parse((await service.post('/developer/keys', { subjectId: 'shop' }, operator)).body)
  const key = { headers: { Authorization: `Bearer ${token}` } }
  await start()
  const wishes = { url: `http://127.0.0.1:${port}/`, types: ['payment.at_risk', 'payment.safe_again'] }
  const { webhook, secret } = Made.parse((await service.post('/developer/webhooks', wishes, key)).body)
  await start(secret)
  const mailed = async (count: number) => {
    await expect.poll(() => sink.mails.length, { timeout: 20_000 }).toBeGreaterThanOrEqual(count)
    return sink.mails[count - 1]
  }

  // Two days are charged at first, and of the week to come some is missing. Bob's address is nobody's.
  await protocol.join(weekly, alice, { balance: 12_000_000n })
  await protocol.join(weekly, bob, { balance: 12_000_000n })
  const warning = await mailed(1)
  expect(warning).toMatchObject({
    to: 'alice@example.com',
    headers: { subject: expect.stringMatching(/^Your payment of 2026-03-\d\d will fail$/) },
    text: expect.stringMatching(/^Your wallet lacks \d[\d.]* USDC\.\n/),
  })
  expect(warning?.text).toContain(`${service.url}/me?address=${alice}`)

  // The same event again, also for a process that was started anew once it had noted what it sent.
  await expect.poll(() => statSync(join(project, 'sent.jsonl'), { throwIfNoEntry: false })?.size).toBeTruthy()
  await start(secret)
  await service.post(`/developer/webhooks/${webhook.id}/redeliver`, { since: 0 }, key)
  const before = await chain.client.getBlockNumber()
  await protocol.join(other, alice, { balance: 1_000_000_000n })
  expect((await mailed(2))?.headers.subject).toMatch(/^Your payment of 2026-03-\d\d is safe again$/)

  // The judge may have seen the money at the block that brought it, so all blocks since are lost.
  const lost = Number((await chain.client.getBlockNumber()) - before)
  await reorganise(chain.client, lost, await mineAgain(chain.client, lost))
  await chain.client.mine({ blocks: 1 })
  // The money is there again, so what was taken back comes again, under the same id.
  await mailed(4)
  const subjects = sink.mails.map(({ headers }) => headers.subject?.replace(/ of \S+/, ''))
  expect(subjects).toEqual([
    'Your payment will fail',
    'Your payment is safe again',
    'Our message about your payment does not hold',
    'Your payment is safe again',
  ])
}, 90_000)
