import { FeeOnTransferToken } from '@remit/contracts/FeeOnTransferToken'
import { MisstatingToken } from '@remit/contracts/MisstatingToken'
import { expect, it } from 'vitest'
import * as z from 'zod'
import { approvedToken } from '../support/chain/approvedToken.ts'
import { tupleOf } from '../support/chain/protocolOn.ts'
import { reorganise } from '../support/chain/reorganise.ts'
import { useReadingGround } from '../support/chain/useReadingGround.ts'
import { makeDue, sweepOver } from '../support/history/sweepOver.ts'
import { useFaultyNode } from '../support/nodes/faultyNode.ts'
import { ADMIN_SECRET, useTestService } from '../support/service/testService.ts'
import { describeStores } from '../support/stores/describeStores.ts'

const ground = await useReadingGround({ reorganises: true, goesOn: true })
const { protocol, client, wallets, tokens } = ground
const { alice, bob, provider } = wallets
const plain = tokens.usdc
const misstating = await approvedToken(ground, MisstatingToken)
const keeping = await approvedToken(ground, FeeOnTransferToken)
const left = tokens.dai
const TOKENS = [plain, misstating, keeping, left]
for (const token of TOKENS) {
  const subscription = await protocol.create({ token })
  await protocol.join(subscription, alice)
  if (token === left) await protocol.send(alice, 'unsubscribe', [tupleOf(subscription.id)])
  else await protocol.join(subscription, bob)
}
const node = await useFaultyNode(ground.url)

/** What is known of the plain token, the misstating one, the one that logs what it keeps, and the one that nobody pays in. */
const known = (swept: Awaited<ReturnType<typeof sweepOver>>) =>
  swept.queries(async (queries) => {
    const logs = await queries.tokenLogs(TOKENS)
    return logs.map(({ loggedOther, check }) => [loggedOther, check?.differs, check?.blockNumber])
  })
const UNKNOWN = [undefined, undefined]
const head = async () => Number(await client.getBlockNumber())

describeStores('checks of tokens', ({ open }) => {
  it('name the one that moves other amounts than it logs, are made anew after a week, and are rolled back', async () => {
    const opened = await open()
    const swept = await sweepOver(ground, opened)
    expect(await known(swept)).toEqual([
      [false, ...UNKNOWN],
      [false, ...UNKNOWN],
      [true, ...UNKNOWN],
      [false, ...UNKNOWN],
    ])
    const first = await head()
    await swept.all()
    const seen = [
      [false, false, first],
      [false, true, first],
      // Its logs say what it keeps, so they are what its balances show.
      [true, false, first],
      [false, ...UNKNOWN],
    ]
    expect(await known(swept)).toEqual(seen)

    await ground.advanceDays(6)
    await swept.filling.fill()
    await makeDue(opened)
    await swept.all()
    expect(await known(swept)).toEqual(seen)
    await ground.advanceDays(2)
    await swept.filling.fill()
    await makeDue(opened)
    await swept.all()
    const second = await head()
    const again = [
      [false, false, second],
      // What was paid then stays wrong.
      [false, true, first],
      [true, false, second],
      [false, ...UNKNOWN],
    ]
    expect(await known(swept)).toEqual(again)

    await reorganise(client, 1, [])
    await client.mine({ blocks: 1 })
    await swept.filling.fill()
    expect(await known(swept)).toEqual([[false, ...UNKNOWN], again[1], [true, ...UNKNOWN], again[3]])
    await swept.all()
    const third = await head()
    expect((await known(swept)).map(([, , block]) => block)).toEqual([third, first, third, undefined])
  })
})

describeStores('a node without eth_simulateV1', ({ open }) => {
  it('leaves all tokens unchecked, and is not asked again', async () => {
    node.fail({
      refuse: ({ method }) =>
        method === 'eth_simulateV1'
          ? { error: { code: -32601, message: 'the method does not exist' } }
          : undefined,
    })
    const swept = await sweepOver(ground, await open(), { sweptUrl: node.url })
    await swept.all()
    expect((await known(swept)).map(([, differs]) => differs)).toEqual(Array(4).fill(undefined))
    const simulations = node.requests.flat().filter((method) => method === 'eth_simulateV1')
    expect(simulations.length).toBeLessThanOrEqual(1)
  })
})

it('tells in every answer about payments which amounts its token misstates, and which nobody has checked', async () => {
  const service = await useTestService([ground], { SWEEP_REQUESTS_PER_HOUR: '100000' })
  const tokenCheck = z.object({ check: z.string(), checkedAtBlock: z.number().nullable() })
  const Payments = z.object({
    payments: z.array(
      z.object({
        token: z.object({ address: z.string() }),
        tokenCheck,
        transactionHash: z.string(),
        logIndex: z.number(),
        subscriptionId: z.string(),
      }),
    ),
    warnings: z.array(z.object({ code: z.string(), token: z.string() })).default([]),
  })
  const all = async () =>
    Payments.parse((await service.get(`/providers/${provider}/payments?first=100`)).body)
  const checksIn = ({ payments }: z.output<typeof Payments>) =>
    Object.fromEntries(payments.map((row) => [row.token.address, row.tokenCheck.check]))
  const expected = { [plain]: 'agrees', [misstating]: 'differs', [keeping]: 'agrees', [left]: 'notChecked' }
  await service.caughtUp()
  await expect.poll(async () => checksIn(await all()), { timeout: 15_000 }).toEqual(expected)

  const { payments, warnings } = await all()
  const unchecked = payments.filter(({ token }) => token.address === left)
  expect(new Set(unchecked.map((row) => row.tokenCheck.checkedAtBlock))).toEqual(new Set([null]))
  expect(warnings.map(({ code }) => code)).toEqual(['TRANSFER_LOGS_DIFFER', 'TRANSFER_LOGS_DIFFER'])
  expect(new Set(warnings.map(({ token }) => token))).toEqual(new Set([misstating, keeping]))

  const wrong = payments.find(({ token }) => token.address === misstating)
  const range = 'from=2026-03-01&to=2026-04-01'
  const told = { check: 'differs', checkedAtBlock: expect.any(Number) }
  for (const [path, answer] of [
    [`/payments/${wrong?.transactionHash}/${wrong?.logIndex}`, { tokenCheck: told }],
    [`/subscriptions/${wrong?.subscriptionId}/revenue?${range}`, { tokens: [{ tokenCheck: told }] }],
    [`/providers/${provider}/revenue?${range}&token=${misstating}`, { tokens: [{ tokenCheck: told }] }],
  ] as const) {
    const { body } = await service.get(path)
    expect([path, body]).toMatchObject([
      path,
      { ...answer, warnings: [{ code: 'TRANSFER_LOGS_DIFFER', token: misstating }] },
    ])
  }
  const made = await service.post(
    '/developer/keys',
    { subjectId: 'books' },
    { headers: { Authorization: `Bearer ${ADMIN_SECRET}` } },
  )
  const file = await fetch(`${service.url}/providers/${provider}/payments?format=csv`, {
    headers: { Authorization: `Bearer ${z.string().parse(made.body.token)}` },
  })
  const [names = '', ...rows] = (await file.text()).trim().split('\r\n')
  const column = names.split(',').indexOf('tokenCheck.check')
  expect(new Set(rows.map((row) => row.split(',')[column]))).toEqual(new Set(Object.values(expected)))
})
