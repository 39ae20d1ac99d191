/**
 * What somebody writes against each generated client: one prepare is asked of the service, and one event is read, whose
 * type decides what its data is. In TypeScript it compiles only where the types are as exact as the answers.
 */
export const TYPESCRIPT = `
import createClient from 'openapi-fetch'
import type { components, operations, paths } from './schema.js'

type Equal<A, B> =
  (<T>() => T extends A ? 1 : 2) extends (<T>() => T extends B ? 1 : 2) ? true : false
const expectTrue = <T extends true>(value?: T) => value
type Answer<Name extends keyof operations, Status extends keyof operations[Name]['responses']> =
  operations[Name]['responses'][Status] extends { content: { 'application/json': infer Data } } ? Data : never

type Subscription = Answer<'get_subscription', 200>['subscription']
expectTrue<Equal<Subscription['amountRaw'], string>>()
expectTrue<Equal<Subscription['tokenDecimals'], number>>()
expectTrue<Equal<Subscription['frequency'], 0 | 1 | 2 | 3>>()
expectTrue<Equal<Subscription['nextDue'], { dayNumber: number; date: string } | null>>()
expectTrue<Equal<Subscription['token']['symbol'], string | null>>()
type Prepared = Answer<'prepare_subscribe_by_id', 200>
expectTrue<Equal<Prepared['signingMode'], 'raw' | 'eip5792' | undefined>>()
type Transaction = NonNullable<Prepared['unsignedTransactions']>[number]
expectTrue<Equal<Transaction, { to: string; data: string; value: string; chainId: number; from: string }>>()
expectTrue<Equal<NonNullable<Prepared['preflight']>['needsApproval'], boolean>>()
type Found = Answer<'search_subscriptions', 200>
expectTrue<Equal<Found['nextCursor'], string | null>>()
expectTrue<Equal<Found['index']['synced'], boolean>>()
type Search = NonNullable<operations['search_subscriptions']['parameters']['query']>
expectTrue<Equal<Search['first'], number | undefined>>()
expectTrue<Equal<Answer<'create_key', 201>['key']['expiresAt'], number | null>>()
expectTrue<Equal<Answer<'get_subscription', 404>['code'], 'NOT_FOUND'>>()
type Limited = Answer<'prepare_subscribe_by_id', 429>
expectTrue<Equal<Limited['retryAfterSeconds'], number>>()
expectTrue<Equal<Limited['lane'], 'free' | 'developer'>>()

export async function use(baseUrl: string, id: string, from: string, event: components['schemas']['Event']) {
  const client = createClient<paths>({ baseUrl })
  const { data } = await client.GET('/prepare/subscribe_by_id', { params: { query: { id, from } } })
  const { error } = await client.POST('/prepare/unsubscribe_by_id', { body: { id, from } })
  const created: components['schemas']['SubscriptionCreatedEvent'] | undefined =
    event.type === 'subscription.created' ? event : undefined
  return {
    mode: data?.signingMode,
    calls: data?.unsignedTransactions?.length,
    price: created?.data.amount?.amount,
    // Told apart by the code, each error has the facts that are its own.
    refused: error?.code === 'NOT_READY' ? error.issues.map(({ code }) => code) : [],
  }
}
`

export const PYTHON = `
import json
import sys

from remit_client import Client
from remit_client.api.prepare import prepare_subscribe_by_id_by_get
from remit_client.models import SubscriptionCreatedEvent

base_url, id, from_, event = sys.argv[1:]
prepared = prepare_subscribe_by_id_by_get.sync(client=Client(base_url=base_url), id=id, from_=from_)
created = SubscriptionCreatedEvent.from_dict(json.loads(event))
told = {
    "mode": prepared.signing_mode.value,
    "calls": len(prepared.unsigned_transactions),
    "price": created.data.amount.amount,
}
print(json.dumps(told))
`

export const GO = `
package main

import (
	"context"
	"encoding/json"
	"log"
	"os"

	"remit.test/generators/remit"
)

func main() {
	client, err := remit.NewClientWithResponses(os.Args[1])
	must(err)
	asked := &remit.PrepareSubscribeByIdByGetParams{Id: os.Args[2], From: os.Args[3]}
	answer, err := client.PrepareSubscribeByIdByGetWithResponse(context.Background(), asked)
	must(err)
	var event remit.Event
	must(json.Unmarshal([]byte(os.Args[4]), &event))
	created, err := event.AsSubscriptionCreatedEvent()
	must(err)
	must(json.NewEncoder(os.Stdout).Encode(map[string]any{
		"mode":  answer.JSON200.SigningMode,
		"calls": len(*answer.JSON200.UnsignedTransactions),
		"price": created.Data.Amount.Amount,
	}))
}

func must(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
`
