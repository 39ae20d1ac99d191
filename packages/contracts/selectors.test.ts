import { readFileSync } from 'node:fs'
import { toEventSelector, toFunctionSelector } from 'viem'
import { expect, it } from 'vitest'
import { z } from 'zod'
import { ISubscriptions } from './generated/ISubscriptions.ts'
import { Subscriptions } from './generated/Subscriptions.ts'

const live = z
  .strictObject({ functions: z.record(z.string(), z.string()), events: z.record(z.string(), z.string()) })
  .parse(JSON.parse(readFileSync(new URL('../../test/selectors.json', import.meta.url), 'utf8')))

it('has exactly the functions of the deployed protocol', () => {
  const selectors = Subscriptions.abi.flatMap((item) =>
    item.type === 'function' ? [toFunctionSelector(item)] : [],
  )
  expect(selectors.toSorted()).toEqual(Object.values(live.functions).toSorted())
})

it('logs exactly the events of the deployed protocol, beside those of OpenZeppelin', () => {
  const ours = ISubscriptions.abi.flatMap((item) =>
    item.type === 'event' ? [[item.name, toEventSelector(item)]] : [],
  )
  expect(Object.fromEntries(ours)).toEqual(live.events)
  const all = Subscriptions.abi.flatMap((item) => (item.type === 'event' ? [item.name] : []))
  expect(all.filter((name) => !(name in live.events)).toSorted()).toEqual([
    'DefaultAdminDelayChangeCanceled',
    'DefaultAdminDelayChangeScheduled',
    'DefaultAdminTransferCanceled',
    'DefaultAdminTransferScheduled',
    'RoleAdminChanged',
    'RoleGranted',
    'RoleRevoked',
  ])
})

it('fits into a contract', () => {
  const size = (Subscriptions.deployedBytecode.length - 2) / 2
  expect(size).toBeLessThanOrEqual(24_576)
})
