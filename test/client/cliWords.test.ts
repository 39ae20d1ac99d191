import { fewDigits } from '@remit/client/testing/cli/commands/words'
import { expect, it } from 'vitest'
import { protocolOn } from '../support/chain/protocolOn.ts'
import { useTestChain } from '../support/chain/useTestChain.ts'
import { serve } from '../support/service/serve.ts'
import { useTestService } from '../support/service/testService.ts'
import { runInProcess } from './cliRun.ts'

// The command speaks of its own options, whatever the service calls the fields that they become.

const chain = await useTestChain()
const { wallets, tokens } = chain
const protocol = protocolOn(chain)
const plan = await protocol.create({ dueDay: 3 })
const { id } = plan
await protocol.join(plan, wallets.carol)
await chain.keep()
const service = await useTestService([chain])
const remit = (...args: string[]) => runInProcess(args, { environment: { REMIT_URL: service.url } })
const from = ['--from', wallets.bob] as const

it.each([
  [
    ['prepare', 'subscribe_by_id', ...from, '--id', id, '--approval-periods', '500'],
    '--approval-periods must be',
  ],
  [['prepare', 'subscribe_by_id', ...from], '--id is required'],
  [['prepare', 'remit', '--simulate-from', 'x', ...from], '--simulate-from must be'],
  [['prepare', 'edit_details', ...from, '--id', id], '--details-url, --details-description is required'],
  [['prepare', 'edit_provider_details', ...from, '--profile-url', 'ftp://x'], '--profile-url: '],
  [['prepare', 'remit', ...from, '--due-day', '3'], '--due-day is not a known field'],
  [['search', '--first', '5000'], '--first must be'],
  [['due', '--date', '2026-02-31'], '--date is not a day'],
])('names the wrong option for %j', async (args, sentence) => {
  const { code, err } = await remit(...args)
  expect(code).toBe(2)
  expect(err).toContain(sentence)
  expect(err).not.toMatch(/`\w+`/)
})

it('names the option in an error about the chain’s state', async () => {
  const stranger = ['--from', wallets.stranger, '--id', id]
  const { code, err } = await remit('prepare', 'cancel_subscription_by_id', ...stranger)
  expect(code).toBe(1)
  expect(err).toContain('--from is ')
})

it('lists the options of one operation with their meaning, and no others', async () => {
  const { out } = await remit('prepare', 'unsubscribe-by-provider-by-id', '--help')
  const options = out.split('Everywhere:')[0] ?? ''
  const listed = options.match(/(?<=^ {2})--[\w-]+/gm) ?? []
  expect(listed).toEqual(expect.arrayContaining(['--from', '--id', '--subscriber', '--readiness', '--input']))
  for (const other of ['--amount', '--details-url', '--approval-periods']) expect(listed).not.toContain(other)
  expect(options).toMatch(/--subscriber <address> +the subscriber to remove \(required\)/)
  expect((await remit('prepare', '--help')).out).toContain('--details-url')
  const unknown = await remit('prepare', 'dance', '--help')
  expect([unknown.code, unknown.err]).toEqual([2, expect.stringContaining('There is no operation dance')])
  for (const line of (await remit('prepare', 'subscribe', '--help')).out.match(/^ {2}--.*$/gm) ?? [])
    expect(line, 'has a description').toMatch(/^ {2}--\S+( <\S+>)? {2,}\S/)
})

it('shows costs in few digits, rounded up', async () => {
  const { out } = await remit(
    'prepare',
    'create_subscription',
    ...from,
    '--amount',
    '10',
    '--token',
    tokens.usdc,
    '--frequency',
    '0',
    '--due-day',
    '3',
    '--details-url',
    '',
    '--details-description',
    'x',
  )
  expect(out).toMatch(/Costs about +0\.0*[1-9]\d{0,2} ETH/)
})

it.each([
  ['0.000123456789', '0.000124'],
  ['0.0001', '0.0001'],
  ['0', '0'],
  ['0.0009999', '0.001'],
  ['12.3456', '12.4'],
  ['1234.5', '1235'],
  ['1234', '1234'],
  ['100', '100'],
  ['0.5', '0.5'],
])('writes %s as %s', (amount, text) => expect(fewDigits(amount)).toBe(text))

it('advises what the command has, where an outlook has more charges than are shown', async () => {
  const url = await serve(async ({ url: path }, response) => {
    const answered = await fetch(`${service.url}${path}`)
    response.writeHead(200, { 'Content-Type': 'application/json' })
    response.end(JSON.stringify({ ...Object(await answered.json()), hasMore: true }))
  })
  const { code, out } = await runInProcess(['outlook', wallets.carol, '--days', '9', '--url', url])
  expect(code).toBe(0)
  expect(out).toContain('charges shown, and there are more: ask for fewer --days.')
})
