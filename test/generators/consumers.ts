/**
 * What somebody writes against each generated client: one prepare is asked of the service, and one event is read, whose
 * type decides what its data is.
 */
export const TYPESCRIPT = `
import createClient from 'openapi-fetch'
import type { components, paths } from './schema.js'

export async function use(baseUrl: string, id: string, from: string, event: components['schemas']['Event']) {
  const client = createClient<paths>({ baseUrl })
  const { data } = await client.GET('/prepare/subscribe_by_id', { params: { query: { id, from } } })
  const created: components['schemas']['SubscriptionCreatedEvent'] | undefined =
    event.type === 'subscription.created' ? event : undefined
  return { mode: data?.signingMode, calls: data?.unsignedTransactions?.length, price: created?.data.amount?.amount }
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
