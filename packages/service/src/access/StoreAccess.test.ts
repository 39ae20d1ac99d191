import { expect, it } from 'vitest'
import { KeysUnavailableError, SignInFailedError } from '../errors/access.ts'
import { UnwritableError } from '../store/StoreError.ts'
import { StoreAccess } from './StoreAccess.ts'

function open() {
  const logged: string[] = []
  const log = (message: string, facts?: unknown) => void logged.push(`${message} ${JSON.stringify(facts)}`)
  return { access: new StoreAccess({ info: log, warn: log, error: log }), logged }
}

it('says once that the store is away, and once that it is back', async () => {
  const { access, logged } = open()
  const refused = () => Promise.reject(Object.assign(new Error('to a secret host'), { code: 'ECONNREFUSED' }))
  await expect(access.ask(refused)).rejects.toBeInstanceOf(KeysUnavailableError)
  await expect(access.ask(() => new Promise(() => {}), 1)).rejects.toBeInstanceOf(KeysUnavailableError)
  expect(await access.ask(async () => 1)).toBe(1)
  expect(logged).toEqual([
    'The key store is away {"reason":"ECONNREFUSED"}',
    'The key store is back undefined',
  ])
})

it('tells a store that takes no writes from one that is away', async () => {
  const { access, logged } = open()
  const full = () =>
    Promise.reject(new UnwritableError('its disk is full', new Error('no space at a secret path')))
  await expect(access.ask(full)).rejects.toMatchObject({
    code: 'KEYS_UNAVAILABLE',
    message:
      'Keys, sessions, webhooks and passes cannot be written right now: the store says that its disk is full. Nothing was changed.',
  })
  expect(await access.ask(async () => 1)).toBe(1)
  expect(logged).toEqual(['The key store cannot be written {"reason":"its disk is full"}'])
})

it('takes no mistake of ours for an outage, nor an answer that refuses', async () => {
  const { access, logged } = open()
  for (const error of [new TypeError('x is not a function'), new SignInFailedError('it was used before')])
    await expect(access.ask(() => Promise.reject(error))).rejects.toBe(error)
  expect(logged).toEqual([])
})
