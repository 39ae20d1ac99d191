import { readFile } from 'node:fs/promises'
import type { Flows } from '@remit/client/testing/sending/flows/createFlows'
import { expect, it } from 'vitest'
import { useTestChain } from '../support/chain/useTestChain.ts'
import { fieldsOf, SIGNED_FIELDS, signedFieldsTable } from './lying/signedFields.ts'
import { type FlowCase, useLyingGround, type WalletKind } from './lying/useLyingGround.ts'

const { flows, ask } = await useLyingGround()
const WALLETS: readonly WalletKind[] = ['with wallet_sendCalls', 'without', 'with a key of its own']

/** The same flows, each with a paymaster. */
function paidFor(all: Flows): Flows {
  const by = { paymasterUrl: 'https://pay.example' }
  return {
    ...all,
    createSubscription: (request) => all.createSubscription({ ...request, ...by }),
    subscribe: (request) => all.subscribe({ ...request, ...by }),
    unsubscribe: (request) => all.unsubscribe({ ...request, ...by }),
    removeSubscriber: (request) => all.removeSubscriber({ ...request, ...by }),
    cancelSubscription: (request) => all.cancelSubscription({ ...request, ...by }),
    editDetails: (request) => all.editDetails({ ...request, ...by }),
    editProviderDetails: (request) => all.editProviderDetails({ ...request, ...by }),
    revokeAllowance: (request) => all.revokeAllowance({ ...request, ...by }),
    remit: (request) => all.remit({ ...request, ...by }),
  }
}

it('has a row for every field that a wallet is asked to sign, and none for anything else', async () => {
  const asked = new Set<string>()
  for (const [name, flow] of Object.entries(flows)) {
    const [kind] = name.split(',')
    const paid: FlowCase = { ...flow, send: (all, ...how) => flow.send(paidFor(all), ...how) }
    for (const [wallet, how] of [
      ...WALLETS.map((one) => [one, flow] as const),
      ['with wallet_sendCalls', paid] as const,
    ]) {
      const { requests } = await ask(how, wallet, undefined)
      for (const field of requests.flatMap(fieldsOf)) asked.add(`${kind}: ${field}`)
    }
  }
  const listed = SIGNED_FIELDS.flatMap(({ field, flows: named }) => named.map((flow) => `${flow}: ${field}`))
  expect([...asked].toSorted()).toEqual(listed.toSorted())
})

it('equals the table in the guide', async () => {
  const guide = await readFile(new URL('../../docs/client.md', import.meta.url), 'utf8')
  expect(guide).toContain(signedFieldsTable())
})

const { contract, chainId } = await useTestChain()

it.each([
  'README.md',
  'docs/client.md',
  'docs/start.md',
  'examples/node/subscribe.ts',
  'examples/browser/build.ts',
])('%s pins the address that the development chain’s contract has', async (file) => {
  const text = await readFile(new URL(`../../${file}`, import.meta.url), 'utf8')
  const pinned = [...text.matchAll(/\b(\d+): '(0x[0-9a-fA-F]{40})'/g)].map(([, chain, address]) => [
    chain,
    address,
  ])
  expect(new Set(pinned.map(String))).toEqual(new Set([`${chainId},${contract}`]))
})
