import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ValidationError } from '@remit/engine/errors/input'
import { runBundled } from '@remit/testing/support/programs/program'
import { useBundle } from '@remit/testing/support/programs/useBundle'
import { postgresIsInstalled, usePostgres } from '@remit/testing/support/stores/postgres'
import { afterAll, describe, expect, it } from 'vitest'
import * as z from 'zod'
import { DeveloperKeys } from '../access/keys/DeveloperKeys.ts'
import { StoreAccess } from '../access/StoreAccess.ts'
import { KeyNotFoundError, MaxKeysError } from '../errors/access.ts'
import { openStore } from '../store/openStore.ts'
import { SecretBox } from '../store/SecretBox.ts'
import { ServiceKey } from '../webhooks/signing/signatures.ts'
import { readArguments, runKeys, UsageError } from './keysCommand.ts'

describe('a command line', () => {
  it('makes a key', () => {
    expect(readArguments(['create', '--subject', 'ada', '--label', 'Billing', '--json'])).toEqual({
      name: 'create',
      json: true,
      input: { subjectId: 'ada', label: 'Billing', expiresAt: undefined },
    })
  })

  it.each([
    ['2031-12-31', 1_956_441_600],
    ['2031-12-31T12:00:00Z', 1_956_484_800],
    ['2031-12-31T12:00:00+02:00', 1_956_477_600],
  ])('takes %s as a time', (text, expiresAt) => {
    expect(readArguments(['create', '--subject', 'ada', '--expires', text])).toMatchObject({
      input: { expiresAt },
    })
  })

  it('lists everybody’s keys or one subject’s, and revokes by id', () => {
    expect(readArguments(['list'])).toEqual({ name: 'list', json: false, subjectId: undefined })
    expect(readArguments(['list', '--subject', 'ada'])).toMatchObject({ subjectId: 'ada' })
    expect(readArguments(['rotate', 'some-id'])).toEqual({ name: 'rotate', json: false, id: 'some-id' })
    expect(readArguments(['reseal'])).toEqual({ name: 'reseal' })
    expect(readArguments(['revoke', 'some-id'])).toEqual({ name: 'revoke', json: false, id: 'some-id' })
  })

  it.each([[[]], [['--help']], [['create', '-h']]])('asks for help: %j', (args) => {
    expect(readArguments(args)).toEqual({ name: 'help' })
  })

  it.each([
    [['--json'], 'Say create, list, rotate, revoke or reseal.'],
    [['delete'], 'There is no command delete.'],
    [['create'], 'create needs --subject'],
    [['create', '--subject'], "Option '--subject <value>' argument missing."],
    [['create', '--subject', 'ada', 'lovelace'], 'Unexpected text lovelace'],
    [['create', '--subject', 'ada', '--expires', 'tomorrow'], '--expires must be a date'],
    [['create', '--subject', 'ada', '--expires', '2031-02-30'], '--expires must be a date'],
    [['list', '--label', 'x'], 'list takes no --label.'],
    [['revoke'], 'revoke needs the id'],
    [['revoke', 'a', 'b'], 'Unexpected text b'],
    [['reseal', '--json'], 'reseal takes no --json.'],
    [['reseal', 'all'], 'Unexpected text all'],
    [['list', '--everything'], "Unknown option '--everything'."],
  ])('that are invalid say why: %j', (args, sentence) => {
    expect(() => readArguments(args)).toThrow(UsageError)
    expect(() => readArguments(args)).toThrow(sentence)
  })
})

const folder = mkdtempSync(join(tmpdir(), 'remit-keys-command-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const quiet = { info: () => {}, warn: () => {}, error: () => {} }
const Created = z.object({ token: z.string(), key: z.object({ id: z.string(), subjectId: z.string() }) })
const Listed = z.object({ keys: z.array(z.object({ id: z.string(), revokedAt: z.number().nullable() })) })

async function open(databaseUrl: string, maxKeysPerSubject = 500) {
  const store = await openStore(databaseUrl)
  const keys = new DeveloperKeys({ store, maxKeysPerSubject, access: new StoreAccess(quiet) })
  async function command(...args: string[]): Promise<string> {
    const read = readArguments(args)
    if (read.name === 'help' || read.name === 'reseal') throw new Error(`${read.name} is not about keys`)
    return runKeys(read, keys)
  }
  async function close() {
    await keys.close()
    await store.close()
  }
  return { keys, command, close }
}

function commandSuite(createUrl: () => Promise<string>) {
  it('makes a key that is live, lists it, and revokes it', async () => {
    const { keys, command, close } = await open(await createUrl())
    const made = await command('create', '--subject', 'ada', '--label', 'Billing', '--json')
    const { token, key } = Created.parse(JSON.parse(made))
    expect(await keys.check(token)).toMatchObject({ live: true, id: key.id })

    const table = await command('list')
    expect(table).toMatch(new RegExp(`${key.id} +ada +Billing +${token.slice(0, 12)}… .* live`))
    expect(table).not.toContain(token)

    expect(await command('revoke', key.id)).toBe(`Revoked ${key.id}, a key of ada.\n`)
    expect(await keys.check(token)).toMatchObject({ live: false, reason: 'revoked' })
    const listed = Listed.parse(JSON.parse(await command('list', '--subject', 'ada', '--json')))
    expect(listed.keys).toEqual([{ id: key.id, revokedAt: expect.any(Number) }])
    expect(await command('list', '--subject', 'bob')).toBe('No keys.\n')
    await close()
  })

  it('rotates a key: both work for a day, the old one does not count, and it is not rotated twice', async () => {
    const { keys, command, close } = await open(await createUrl(), 1)
    const made = Created.parse(
      JSON.parse(await command('create', '--subject', 'ada', '--label', 'Billing', '--json')),
    )
    const said = await command('rotate', made.key.id)
    const token = /svc_\S+/.exec(said)?.[0] ?? ''
    expect(said).toMatch(new RegExp(`The key that it replaces, ${made.key.id}, works until 20\\d\\d-`))
    expect(await keys.check(made.token)).toMatchObject({ live: true, id: made.key.id })
    expect(await keys.check(token)).toMatchObject({ live: true })
    const { keys: listed } = await keys.list({ subjectId: 'ada', first: 10, after: undefined })
    const old = listed.find(({ id }) => id === made.key.id)
    const inHours = ((old?.expiresAt ?? 0) - Date.now()) / 3_600_000
    expect(inHours).toBeGreaterThan(23.9)
    expect(inHours).toBeLessThanOrEqual(24)
    const current = listed.find(({ id }) => id !== made.key.id)
    expect(current).toMatchObject({ label: 'Billing', expiresAt: null })
    await expect(command('rotate', made.key.id)).rejects.toThrow(`${current?.id} replaces`)
    // One counts, one runs out: neither kind may grow without end.
    await expect(command('create', '--subject', 'ada')).rejects.toThrow(MaxKeysError)
    await expect(command('rotate', current?.id ?? '')).rejects.toThrow(MaxKeysError)
    await command('revoke', made.key.id)
    await command('rotate', current?.id ?? '')
    await command('revoke', current?.id ?? '')
    await expect(command('rotate', current?.id ?? '')).rejects.toThrow(ValidationError)
    await expect(command('rotate', 'none')).rejects.toThrow(KeyNotFoundError)
    await close()
  })

  it('rotates a key once, however many ask at a time', async () => {
    const { keys, command, close } = await open(await createUrl())
    const { key } = Created.parse(JSON.parse(await command('create', '--subject', 'ada', '--json')))
    const outcomes = await Promise.allSettled(Array.from({ length: 5 }, () => keys.rotate(key.id)))
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    const { keys: listed } = await keys.list({ subjectId: 'ada', first: 10, after: undefined })
    expect(listed).toHaveLength(2)
    await close()
  })

  it('lists every key, however many there are', async () => {
    const { command, close } = await open(await createUrl())
    for (let key = 0; key < 230; key += 1) await command('create', '--subject', 'ada')
    const { keys } = Listed.parse(JSON.parse(await command('list', '--json')))
    expect(new Set(keys.map(({ id }) => id)).size).toBe(230)
    await close()
  })

  it('refuses what the route refuses', async () => {
    const { command, close } = await open(await createUrl())
    await expect(command('create', '--subject', '')).rejects.toThrow(ValidationError)
    await expect(command('create', '--subject', 'a\u202eb')).rejects.toThrow(
      '`subjectId` must have no control',
    )
    const past = command('create', '--subject', 'ada', '--expires', '2020-01-01')
    await expect(past).rejects.toThrow('`expiresAt` must be in the future')
    await close()
  })
}

let files = 0

describe('the keys command over SQLite', () => {
  commandSuite(async () => {
    files += 1
    return `file:${join(folder, `${files}.db`)}`
  })
})

describe.skipIf(!postgresIsInstalled)('the keys command over Postgres', () => {
  const postgres = usePostgres()
  commandSuite(() => postgres.createDatabase())
})

describe('npm run keys', () => {
  it('prints a key for its owner, which the service then takes', async () => {
    const url = `file:${join(folder, 'program.db')}`
    const bundle = await useBundle('packages/service/src/main.ts')
    const created = runBundled(bundle, ['keys', 'create', '--subject', 'ada'], { DATABASE_URL: url })
    const [token] = await created.says(/svc_[A-Za-z0-9_-]{49}/)
    expect(await created.ends()).toBe(0)
    const { keys, close } = await open(url)
    expect((await keys.check(token)).live).toBe(true)
    await close()
  }, 30_000)

  it('seals the secrets of a store anew, and needs the key for that', async () => {
    const url = `file:${join(folder, 'sealed.db')}`
    const bundle = await useBundle('packages/service/src/main.ts')
    const [old, anew] = ['11'.repeat(32), '22'.repeat(32)]
    const store = await openStore(url)
    const { publicKey } = await new ServiceKey(store, new SecretBox([old])).get()
    const without = runBundled(bundle, ['keys', 'reseal'], { DATABASE_URL: url })
    expect(await without.ends()).toBe(1)
    expect(without.output()).toContain('SECRETS_KEY is not set')
    const command = runBundled(bundle, ['keys', 'reseal'], {
      DATABASE_URL: url,
      SECRETS_KEY: `${anew},${old}`,
    })
    await command.says(/^1 secrets were sealed/)
    expect(await command.ends()).toBe(0)
    expect((await new ServiceKey(store, new SecretBox([anew])).get()).publicKey).toBe(publicKey)
    await expect(new ServiceKey(store, new SecretBox([old])).get()).rejects.toThrow('cannot be opened')
    await store.close()
  }, 30_000)

  it('says in one sentence what is wrong, and ends with an error', async () => {
    const bundle = await useBundle('packages/service/src/main.ts')
    const program = (databaseUrl: string, ...args: string[]) =>
      runBundled(bundle, ['keys', ...args], { DATABASE_URL: databaseUrl })
    const url = `file:${join(folder, 'errors.db')}`
    const absent = program(url, 'revoke', 'nobodys')
    const away = program('postgres://remit:password@127.0.0.1:9/remit', 'list')
    const unclear = program(url, 'create')
    expect([await absent.ends(), await away.ends(), await unclear.ends()]).toEqual([1, 1, 2])
    expect(absent.output()).toBe('There is no key nobodys; GET /developer/keys lists them.\n')
    expect(away.output()).toMatch(/^The store at DATABASE_URL .*\n$/)
    expect(away.output()).not.toContain('password')
    expect(unclear.output()).toContain('node main.js keys --help')
  }, 30_000)
})
