import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { environmentOver } from '@remit/devchain/testing/main'
import { ConfigError } from '@remit/service/configuration/ConfigError'
import { loadConfig, loadKeysConfig } from '@remit/service/configuration/loadConfig'
import { type Environment, reader } from '@remit/service/configuration/reader'
import { COMPOSE, DEVELOPMENT } from '@remit/service/configuration/variables/commands'
import { secretsOf } from '@remit/service/processes/logLines'
import { VARIABLES } from '@remit/service/testing/configuration/variables'
import { BASIC_AUTH } from '@remit/service/testing/configuration/variables/callers'
import { chainOf } from '@remit/service/testing/configuration/variables/chain'
import { describe, expect, it } from 'vitest'

const root = fileURLToPath(new URL('../..', import.meta.url))
const CONTRACT = '0xFaF5fc2f77b21BC188f492b827D366B03a07c61f'
/** A chain that is not built in, so that nothing is known of it but what variables say. */
const ENOUGH = { DEFAULT_REST_CHAIN_ID: '7', RPC_URL_7: 'https://rpc.example', CONTRACT_ADDRESS_7: CONTRACT }
const BASIC = {
  API_REQUIRE_BASIC_AUTH: 'true',
  API_BASIC_AUTH_USER: 'ada',
  API_BASIC_AUTH_PASSWORD: 'lovelace',
}
const devnet = {
  chainId: 31_337,
  url: 'http://127.0.0.1:1',
  contractAddress: CONTRACT,
  firstBlock: 1,
  tokens: { usdc: CONTRACT, dai: CONTRACT },
  cachePath: '/tmp',
} as const

const processes = VARIABLES.filter((variable) => !Object.values<unknown>(COMPOSE).includes(variable))
const nameOf = (name: string) => (chainOf(name) === undefined ? name : name.replace(/\d+$/, '<id>'))
const declared = VARIABLES.map(({ name }) => name)

/** The names that are asked for, with `<id>` for a chain's. */
function namesReadBy(use: (environment: Environment) => unknown, said: Environment): Set<string> {
  const names = new Set<string>()
  use(
    new Proxy(said, {
      get: (target, name) => {
        if (typeof name !== 'string') return undefined
        names.add(nameOf(name))
        return target[name]
      },
    }),
  )
  return names
}

/** Everything that any program of this package makes of its environment. */
function readEverything(environment: Environment): void {
  loadConfig(environment)
  loadKeysConfig(environment)
  environmentOver(devnet, environment)
  reader(environment).all(DEVELOPMENT)
}

describe('the declared variables', () => {
  it('are all that any process reads, and each of them is read', () => {
    const read = namesReadBy(readEverything, { ...ENOUGH, ...BASIC })
    expect([...read].sort()).toEqual(processes.map(({ name }) => name).sort())
  })

  it('are the only way to the environment: no source takes a variable out of it by itself', () => {
    const sources = [
      'packages/engine/src',
      'packages/service/src',
      'packages/devchain/src',
      'deploy',
    ].flatMap((folder) =>
      readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
        .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
        .map((file) => join(folder, file)),
    )
    expect(sources.length).toBeGreaterThan(100)
    const whole = /process\.env(?=[),]| \}\)|\n)/
    const wrong = sources.filter((file) =>
      readFileSync(join(root, file), 'utf8')
        .split('process.env')
        .slice(1)
        .some((rest) => !whole.test(`process.env${rest.slice(0, 3)}`)),
    )
    expect(wrong).toEqual([])
  })

  it('have names of their own', () => {
    expect(new Set(declared).size).toBe(declared.length)
  })

  it('say each what they are and what they take', () => {
    for (const { name, description, schema } of VARIABLES) {
      expect([name, description]).toEqual([name, expect.stringMatching(/^[^\n]{10,}\.$/)])
      expect([name, schema.description]).toEqual([name, expect.stringMatching(/\S/)])
    }
  })

  it('have one clause each in the example of an environment file', () => {
    const [, ...entries] = readFileSync(join(root, '.env.example'), 'utf8').split('\n\n')
    const about = entries.filter((entry) => entry.includes('='))
    expect(about).toHaveLength(VARIABLES.length)
    for (const entry of about) {
      expect(entry.trim()).toMatch(/^# [^\n]+[^.]\.\n(# )?[A-Z][A-Z0-9_]*=\S*$/)
      expect(entry).not.toMatch(/\. [A-Z]/)
    }
  })

  it('are told of where compose reads them', () => {
    const compose = readFileSync(join(root, 'compose.yaml'), 'utf8')
    for (const { name } of Object.values(COMPOSE)) expect(compose).toContain(`\${${name}:`)
  })
})

describe('the table of docs/configure.md', () => {
  const rows = readFileSync(join(root, 'docs/configure.md'), 'utf8')
    .split('\n')
    .flatMap((line) => {
      const [, name, usual] = /^\| `([A-Z][A-Z0-9_]*(?:<id>)?)` *\| (.*?) *\|/.exec(line) ?? []
      return name === undefined || usual === undefined ? [] : [{ name, usual }]
    })
  /** By the names of the chains they count for, with `every` for all the others. */
  const defaults = rows.map(({ name, usual }) => ({
    name,
    texts: usual.split('; ').flatMap((each) => {
      const [, text, chains] = /^`([^`]*)`(?: on (.+))?$/.exec(each) ?? []
      return text === undefined ? [] : (chains?.split(' and ') ?? ['every']).map((chain) => ({ chain, text }))
    }),
  }))

  /** The defaults that the table has for a chain, as an operator would set them. */
  const toldFor = (chain: string, id: number) =>
    Object.fromEntries(
      defaults.flatMap(({ name, texts }) => {
        const found =
          texts.find((each) => each.chain === chain) ?? texts.find((each) => each.chain === 'every')
        return found === undefined ? [] : [[name.replace('<id>', String(id)), found.text]]
      }),
    )

  it('has every variable once', () => {
    expect(rows.map(({ name }) => name).sort()).toEqual([...declared].sort())
  })

  it.each([
    ['Base', 8453, {}],
    ['Base Sepolia', 84532, {}],
    ['every', 7, { CONTRACT_ADDRESS_7: CONTRACT }],
  ] as const)('states the defaults that are in force, on %s', (chain, id, needed) => {
    const least = { DEFAULT_REST_CHAIN_ID: String(id), [`RPC_URL_${id}`]: 'https://rpc.example', ...needed }
    const told = toldFor(chain, id)
    expect(Object.keys(told).length).toBeGreaterThan(35)
    expect(loadConfig({ ...told, ...least })).toEqual(loadConfig(least))
    expect(reader(told).all(DEVELOPMENT)).toEqual(reader({}).all(DEVELOPMENT))
  })
})

/** Of which some value at least is wrong for every variable that does not take any text. */
const WRONG = [
  'no-such-thing',
  '-1',
  '/no/such/file.json',
  'ftp://elsewhere.example',
  'two words',
  'x'.repeat(101),
  'a:b',
]

describe('a wrong value', () => {
  const takeAnyText = ['HOST', 'DEVELOPER_KEYS_ADMIN_SECRET', 'API_BASIC_AUTH_PASSWORD']
  const refusing = processes.filter(({ name }) => !takeAnyText.includes(name))

  function refusalOf(name: string, value: string): string | undefined {
    try {
      readEverything({ ...ENOUGH, ...BASIC, [name.replace('<id>', '7')]: value })
      return undefined
    } catch (error) {
      if (error instanceof ConfigError) return error.message
      throw error
    }
  }

  it.each(refusing.map(({ name }) => name))('of %s stops the start with a sentence that names it', (name) => {
    const refusals = WRONG.flatMap((value) => {
      const sentence = refusalOf(name, value)
      return sentence === undefined ? [] : [{ value, sentence }]
    })
    expect(refusals.length).toBeGreaterThan(0)
    for (const { value, sentence } of refusals) {
      expect(sentence).toMatch(new RegExp(`^${name.replace('<id>', '7')} .*\\.$`))
      expect(sentence).not.toContain(value)
    }
  })

  it.each(takeAnyText)('of %s does not exist', (name) => {
    expect(declared).toContain(name)
    for (const value of WRONG) expect(refusalOf(name, value)).toBeUndefined()
  })
})

describe('what is declared to be secret', () => {
  const SECRET = 'a1-secret-of-the-operator-9z'

  it.each(processes.filter(({ secret }) => secret === 'all').map(({ name }) => name))(
    '%s is left out of the log',
    (name) => {
      const secret = name === 'SECRETS_KEY' ? Buffer.alloc(32, SECRET).toString('base64') : SECRET
      expect(secretsOf(loadConfig({ ...ENOUGH, ...BASIC, [name]: secret }))).toContain(secret)
    },
  )

  it.each([
    ['RPC_URL_<id>', `https://ada:${SECRET}@rpc.example`],
    ['RPC_URL_<id>', `https://rpc.example/v2/${SECRET}`],
    ['RPC_URL_<id>', `https://${SECRET}@rpc.example`],
    ['SUBGRAPH_URL_<id>', `https://graph.example/api/${SECRET}/subgraphs`],
    ['DATABASE_URL', `postgres://ada:${SECRET}@db.example/remit`],
    ['DATABASE_URL', `postgres://db.example/remit?user=ada&password=${SECRET}`],
    ['REDIS_URL', `redis://:${SECRET}@redis.example`],
  ])('a part of %s is left out of the log', (name, value) => {
    expect(VARIABLES.find((variable) => variable.name === name)?.secret).toBe('parts')
    const variable = { [name.replace('<id>', '7')]: value }
    expect(secretsOf(loadConfig({ ...ENOUGH, ...variable }))).toContain(SECRET)
  })

  it('has no default in the example of an environment file', () => {
    const lines = readFileSync(join(root, '.env.example'), 'utf8').split('\n')
    const secrets = [...VARIABLES.filter(({ secret }) => secret === 'all'), BASIC_AUTH.password]
    for (const { name } of secrets) {
      expect(lines.filter((line) => line.replace(/^# /, '').startsWith(`${name}=`))).toEqual([
        expect.stringMatching(/=$/),
      ])
    }
  })
})
