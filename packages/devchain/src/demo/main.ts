/**
 * `npm run demo`: one subscription's whole life over a running service, each step printed and checked. Fresh wallets are funded; a
 * provider creates a plan; a wallet subscribes; the clock moves a day; a keeper calls remit(), which charges it; then balances and
 * history are compared. The first check that fails ends it with an error (exit code 1). What was sent by then stays on the chain.
 */
import { parseArgs } from 'node:util'
import { ConfigError } from '@remit/service/configuration/ConfigError'
import { createTestClient, type Hex, http, publicActions } from 'viem'
import { advanceChain } from '../commands/advanceChain.ts'
import { runningDevnet } from '../commands/runningDevnet.ts'
import {
  AccountAnswer,
  ApprovedTokens,
  Catalog,
  FeeBalance,
  Prepared,
  ProtocolState,
  RemitPrepared,
  Status,
  SubscribePrepared,
  Subscribers,
  SubscriptionAnswer,
} from './answers.ts'
import { Api, DemoError, expect, say } from './api.ts'
import { showHistory } from './history.ts'
import { DemoWallet } from './wallet.ts'

const DEV_CHAIN_ID = 31_337
/** The plan's price a week, in whole tokens. */
const AMOUNT = '10'
/** After so many calls of remit() that leave something due, the demo gives up. */
const MOST_REMITS = 400
/** A weekly plan, by the contract's number. */
const WEEKLY = 0

/** Takes one subscription through its whole life over REST, with wallets of its own. */
async function demo(api: Api, rpcUrl: string): Promise<void> {
  say('— The service and its chain')
  const catalog = await api.get('/catalog', Catalog)
  expect(catalog.chainId === DEV_CHAIN_ID, `the service serves the development chain ${DEV_CHAIN_ID}`)
  const state = await api.get('/protocol/state', ProtocolState)
  const { tokens } = await api.get('/approved-tokens', ApprovedTokens)
  const token = tokens.find((candidate) => !candidate.paused)
  if (token === undefined) throw new DemoError('No approved token is open.')
  const unit = 10n ** BigInt(token.decimals)

  const provider = new DemoWallet('the provider', rpcUrl)
  const subscriber = new DemoWallet('the subscriber', rpcUrl)
  const keeper = new DemoWallet('the keeper', rpcUrl)
  await Promise.all([provider.fund(), keeper.fund(), subscriber.fund(token.address, 1000n * unit)])
  say(`\n   Fresh wallets: provider ${provider.address}, subscriber ${subscriber.address}`)

  say('\n— What was due before is remitted first: a new subscriber would be charged for it')
  await remitUntilDone(api, keeper)

  say('\n— A provider creates a weekly subscription, due tomorrow')
  const create = await api.post(
    '/prepare/create_subscription',
    {
      from: provider.address,
      amount: AMOUNT,
      token: token.address,
      details: { url: 'https://coffee.example/weekly', description: 'A bag of coffee a week' },
      frequency: WEEKLY,
      dueDay: weekDay(state.currentDay.dayNumber + 1),
    },
    Prepared,
  )
  const created = await sendAndFollow(api, provider, create)
  const id = created.createdSubscriptionId
  if (id === null) throw new DemoError('The status names no created subscription.')
  const read = await api.get(`/subscriptions/${id}?minBlock=${created.blockNumber}`, SubscriptionAnswer)
  expect(read.subscription.provider === provider.address, 'the subscription is read back with its provider')
  expect(read.subscription.amount === AMOUNT, `it costs ${AMOUNT} a week`)

  say('\n— A wallet with no allowance subscribes: approve and subscribe, proven as one')
  const subscribe = await api.post(
    '/prepare/subscribe_by_id',
    { from: subscriber.address, id },
    SubscribePrepared,
  )
  expect(subscribe.signingMode === 'eip5792', 'it takes two transactions, which wallets can also batch')
  expect(subscribe.preflight.needsApproval, 'an approval is needed')
  for (const step of subscribe.instructions) say(`   · ${step}`)
  const subscribed = await sendAndFollow(api, subscriber, subscribe)
  const names = subscribed.events.flatMap((event) => event.eventName ?? [])
  expect(names.includes('Subscribed') && names.includes('FeeFilled'), `it logged ${names.join(', ')}`)
  const { subscribers } = await api.get(
    `/subscriptions/${id}/subscribers?minBlock=${subscribed.blockNumber}`,
    Subscribers,
  )
  expect(
    subscribers.some((row) => row.subscriber === subscriber.address),
    'the subscriber is listed',
  )
  const again = await api.attempt(
    '/prepare/subscribe_by_id',
    { from: subscriber.address, id },
    SubscribePrepared,
  )
  const issues = 'refusal' in again ? again.refusal.issues : []
  expect(issues.includes('ALREADY_SUBSCRIBED'), `a second time is refused: ${issues.join(', ')}`)

  say('\n— A day passes, and somebody calls remit() until nothing is due')
  const before = await provider.tokenBalance(token.address)
  const { to } = await advanceChain({ rpcUrl, seconds: 86_400 })
  say(`   the chain is at block ${to.blockNumber}, ${new Date(to.timestamp * 1000).toISOString()}`)
  await api.get(`/protocol/state?minBlock=${to.blockNumber}`, ProtocolState)
  const payment = await remitUntilDone(api, keeper, id)
  expect(payment !== undefined, 'a remit collected the subscription')

  say('\n— Balances')
  const received = (await provider.tokenBalance(token.address)) - before
  expect(received === BigInt(AMOUNT) * unit, `the provider received ${AMOUNT} ${token.symbol ?? ''}`)
  expect((await keeper.tokenBalance(token.address)) > 0n, 'the keeper earned its fee')
  const fee = await api.get(`/subscriptions/${id}/fee-balance?address=${subscriber.address}`, FeeBalance)
  const { amount, amountRaw } = fee.feeBalance
  expect(BigInt(amountRaw) > 0n, `the contract still holds ${amount} for coming fees`)
  const account = await api.get(`/accounts/${subscriber.address}`, AccountAnswer)
  const row = account.subscribedTo.find((entry) => entry.subscription.id === id)
  expect(row?.statusLabel === 'ACTIVE', 'the subscriber is still active')
  expect(
    (row?.allowanceCovers?.periods ?? 0) > 0,
    `its allowance lasts ${row?.allowanceCovers?.periods} weeks more`,
  )
  const after = await api.get(`/subscriptions/${id}`, SubscriptionAnswer)
  const days = (after.subscription.nextDue?.dayNumber ?? 0) - (read.subscription.nextDue?.dayNumber ?? 0)
  expect(days === 7, `it is next due on ${after.subscription.nextDue?.date}, a week later`)

  const seen = { id, provider: provider.address, subscriber: subscriber.address }
  await showHistory(api, seen, [created, subscribed, payment])
}

/** Sends what was prepared and follows its last transaction, as a wallet's program would. */
async function sendAndFollow(api: Api, wallet: DemoWallet, prepared: Prepared): Promise<Status> {
  const hash = (await wallet.send(prepared)).at(-1)
  if (hash === undefined) throw new DemoError('Nothing was prepared.')
  return follow(api, hash)
}

/** Asks for the transaction's status until it is confirmed, ten seconds at most. Throws DemoError where it has failed, too. */
async function follow(api: Api, txHash: Hex): Promise<Status> {
  for (let attempt = 0; attempt < 50; attempt += 1) {
    const status = await api.post('/transactions/status', { txHash }, Status)
    if (status.confirmed) {
      expect(status.status === 'success', `${txHash} succeeded in block ${status.blockNumber}`)
      return status
    }
    await new Promise((resolve) => setTimeout(resolve, 200))
  }
  throw new DemoError(`${txHash} was not confirmed within 10 s.`)
}

/** Calls remit until nothing is due. @returns the status of the last call that charged the subscription `id`; `undefined` if none did */
async function remitUntilDone(api: Api, keeper: DemoWallet, id?: Hex): Promise<Status | undefined> {
  let payment: Status | undefined
  for (let calls = 0; calls < MOST_REMITS; calls += 1) {
    const prepared = await api.attempt('/prepare/remit', { from: keeper.address }, RemitPrepared)
    if ('refusal' in prepared) {
      const { code, issues } = prepared.refusal
      const done = issues.every((issue) => issue === 'NOTHING_DUE' || issue === 'REMIT_NOT_DUE')
      expect(code === 'NOT_READY' && done, `the service says ${issues.join(', ')}`)
      return payment
    }
    say(`   ${prepared.answer.preflight.expectedTransactions} more calls of remit() are expected`)
    const status = await sendAndFollow(api, keeper, prepared.answer)
    await api.get(`/protocol/state?minBlock=${status.blockNumber}`, ProtocolState)
    if (status.events.some((event) => event.eventName === 'SubscriberPaid' && event.args.id === id))
      payment = status
  }
  throw new DemoError(`The backlog was not cleared by ${MOST_REMITS} calls.`)
}

/** The day of the week: Monday is 1. Day 0 was a Thursday. */
function weekDay(dayNumber: number): number {
  return ((dayNumber + 3) % 7) + 1
}

try {
  const { values } = parseArgs({ options: { url: { type: 'string' }, rpc: { type: 'string' } } })
  const { url, rpcUrl } = await runningDevnet({ url: values.url, rpcUrl: values.rpc }, process.env)
  const chain = createTestClient({ mode: 'anvil', transport: http(rpcUrl) }).extend(publicActions)
  const chainId = await chain.getChainId().catch((cause: unknown) => {
    throw new DemoError(`No development chain answers at ${rpcUrl}: run \`npm start\` first.`, { cause })
  })
  if (chainId !== DEV_CHAIN_ID)
    throw new DemoError(`${rpcUrl} is chain ${chainId}: the demo signs only on ${DEV_CHAIN_ID}.`)
  await demo(new Api(url), rpcUrl)
  say('\nThe whole life of a subscription, as expected.')
} catch (error) {
  if (!(error instanceof DemoError || error instanceof ConfigError)) throw error
  process.stderr.write(`\n${error.message}\n`)
  process.exitCode = 1
}
