/**
 * What somebody writes against a generated client, as `consumer.ts` beside it: it compiles only where the types of
 * the client are as exact as its answers.
 */
export const GENERATED_CONSUMER = `
import * as remit from './client.js'

type Equal<A, B> =
  (<T>() => T extends A ? 1 : 2) extends (<T>() => T extends B ? 1 : 2) ? true : false
const expectTrue = <T extends true>(value?: T) => value

type Answer<Call extends (...args: never[]) => Promise<{ status: number }>, Status extends number> =
  Extract<Awaited<ReturnType<Call>>, { status: Status }> extends { data: infer Data } ? Data : never

type Subscription = Answer<typeof remit.getSubscription, 200>['subscription']
expectTrue<Equal<Subscription['amountRaw'], string>>()
expectTrue<Equal<Subscription['tokenDecimals'], number>>()
expectTrue<Equal<Subscription['frequency'], 0 | 1 | 2 | 3>>()
expectTrue<Equal<Subscription['nextDue'], { dayNumber: number; date: string } | null>>()
expectTrue<Equal<Subscription['token']['symbol'], string | null>>()

type Prepared = Answer<typeof remit.prepareSubscribeById, 200>
expectTrue<Equal<Prepared['signingMode'], 'raw' | 'eip5792' | undefined>>()
type Transaction = NonNullable<Prepared['unsignedTransactions']>[number]
expectTrue<Equal<Transaction, { to: string; data: string; value: string; chainId: number; from: string }>>()
expectTrue<Equal<NonNullable<Prepared['preflight']>['needsApproval'], boolean>>()

type Found = Answer<typeof remit.searchSubscriptions, 200>
expectTrue<Equal<Found['nextCursor'], string | null>>()
expectTrue<Equal<Found['index']['synced'], boolean>>()

type Search = NonNullable<Parameters<typeof remit.searchSubscriptions>[0]>
expectTrue<Equal<Search['first'], number | undefined>>()

type Made = Answer<typeof remit.createKey, 201>
expectTrue<Equal<Made['key']['expiresAt'], number | null>>()

expectTrue<Equal<Answer<typeof remit.getSubscription, 404>['code'], 'NOT_FOUND'>>()
type Limited = Answer<typeof remit.prepareSubscribeById, 429>
expectTrue<Equal<Limited['retryAfterSeconds'], number>>()
expectTrue<Equal<Limited['lane'], 'free' | 'developer'>>()

export async function use(baseUrl: string, id: string, from: string, token: string) {
  remit.defaults.baseUrl = baseUrl
  const state = await remit.getProtocolState()
  const found = await remit.searchSubscriptions({ token, frequency: 0, cancelled: false, first: 5 })
  const prepared = await remit.prepareSubscribeById({ id, from, approvalPeriods: 3 })
  const absent = await remit.getSubscription('0x' + 'de'.repeat(32))
  const refused = await remit.prepareUnsubscribeById({ id, from })

  return {
    callerFeePercent: state.status === 200 ? state.data.callerFeePercent : undefined,
    found: found.status === 200 ? found.data.subscriptions.map((row) => row.amountRaw) : [],
    mode: prepared.status === 200 ? prepared.data.signingMode : undefined,
    absent: absent.status === 404 ? absent.data.code : undefined,
    // Told apart by the code, each error has the facts that are its own.
    refused:
      refused.status === 422 && refused.data.code === 'NOT_READY'
        ? refused.data.issues.map(({ code }) => code)
        : [],
  }
}
`
