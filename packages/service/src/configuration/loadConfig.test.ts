import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DEFAULT_LIMITS } from '@remit/engine/declare/lanes'
import { afterEach, describe, expect, it } from 'vitest'
import { ConfigError } from './ConfigError.ts'
import { loadConfig, multipliedLimits } from './loadConfig.ts'

const reachable = { RPC_URL_8453: 'https://rpc.example/key-of-somebody' }

function refusalOf(environment: Record<string, string>): string {
  try {
    loadConfig(environment)
  } catch (error) {
    if (error instanceof ConfigError) return error.message
    throw error
  }
  throw new Error('the configuration was taken')
}

describe('what is built in', () => {
  it('knows Base and Base Sepolia, and serves only those that have an RPC URL', () => {
    const { chains, defaultChainId } = loadConfig(reachable)
    expect(defaultChainId).toBe(8453)
    expect(chains.map(({ chainId, name, rest, mcp }) => ({ chainId, name, rest, mcp }))).toEqual([
      { chainId: 8453, name: 'Base', rest: true, mcp: true },
      { chainId: 84532, name: 'Base Sepolia', rest: false, mcp: false },
    ])
  })

  it('keeps the built-in contract, first block and token beside an RPC URL from the environment', () => {
    const base = loadConfig(reachable).chains[0]
    expect(base).toMatchObject({
      contractAddress: '0xFaF5fc2f77b21BC188f492b827D366B03a07c61f',
      firstBlock: 32427185,
      tokens: ['0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913'],
      opStack: true,
      rpcUrls: ['https://rpc.example/key-of-somebody'],
    })
  })
})

describe('a chain of the environment', () => {
  it('needs no more than a contract and an RPC URL', () => {
    const { chains, defaultChainId } = loadConfig({
      DEFAULT_REST_CHAIN_ID: '10',
      RPC_URL_10: 'http://one.example, http://two.example',
      CONTRACT_ADDRESS_10: '0xfaf5fc2f77b21bc188f492b827d366b03a07c61f',
      CHAIN_NAME_10: 'Ten',
      TOKENS_10: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
      OP_STACK_10: 'true',
      FINALITY_DEPTH_10: '7',
      START_BLOCK_10: '99',
    })
    expect(defaultChainId).toBe(10)
    expect(chains.find(({ chainId }) => chainId === 10)).toMatchObject({
      name: 'Ten',
      rest: true,
      mcp: true,
      firstBlock: 99,
      finalityDepth: 7,
      opStack: true,
      rpcUrls: ['http://one.example', 'http://two.example'],
      contractAddress: '0xFaF5fc2f77b21BC188f492b827D366B03a07c61f',
    })
  })

  it('takes WebSocket URLs for announcements, and needs another to ask', () => {
    const environment = { RPC_URL_8453: 'wss://one.example/k3y, https://two.example' }
    const [base] = loadConfig(environment).chains
    expect(base).toMatchObject({ rpcUrls: ['https://two.example'], headUrls: ['wss://one.example/k3y'] })
    expect(() => loadConfig({ RPC_URL_8453: 'wss://one.example/k3y' })).toThrow(
      'RPC_URL_8453 has WebSocket URLs only: add an http or https URL of the same chain.',
    )
  })

  it('says what its nodes limit, for all of them or for each', () => {
    const limitsOf = (text: string) =>
      loadConfig({ ...reachable, RPC_LIMITS_8453: text }).chains[0]?.rpcLimits
    expect(limitsOf('batch=10, logRange=2000, simulateV1=false')).toEqual([
      { batch: 10, logRange: 2_000, simulateV1: false },
    ])
    expect(limitsOf(';batch=3')).toEqual([{}, { batch: 3 }])
  })

  describe('in CHAINS_FILE', () => {
    const folder = mkdtempSync(join(tmpdir(), 'remit-config-'))
    afterEach(() => rmSync(folder, { recursive: true, force: true }))

    it('is a whole entry, over which single variables win', () => {
      const path = join(folder, 'chains.json')
      const entry = {
        chainId: 10,
        name: 'Ten',
        contractAddress: '0xFaF5fc2f77b21BC188f492b827D366B03a07c61f',
        rpcUrls: ['http://file.example'],
        mcp: false,
      }
      writeFileSync(path, JSON.stringify([entry]))
      const { chains } = loadConfig({ ...reachable, CHAINS_FILE: path, CHAIN_NAME_10: 'Tenth' })
      expect(chains.find(({ chainId }) => chainId === 10)).toMatchObject({
        name: 'Tenth',
        rest: true,
        mcp: false,
        rpcUrls: ['http://file.example'],
      })
    })
  })
})

it('has rescues only with a key that seals what members leave, and an address to sign in to', () => {
  const on = { ...reachable, RESCUES: 'on', HOST: '0.0.0.0' }
  const sealed = { ...on, SECRETS_KEY: '5e'.repeat(32) }
  expect(() => loadConfig(on)).toThrow('SECRETS_KEY is not set, but RESCUES needs it')
  expect(() => loadConfig(sealed)).toThrow('PUBLIC_URL is not set, but RESCUES needs it')
  expect(loadConfig({ ...sealed, PUBLIC_URL: 'https://remit.example' }).rescues).toBe(true)
  expect(loadConfig(reachable).rescues).toBe(false)
})

it('reads the public URL as browsers write it, so that https is known as such', () => {
  for (const [given, read] of [
    ['HTTPS://Remit.Example', 'https://remit.example'],
    ['https://remit.example:443/pay//', 'https://remit.example/pay'],
  ]) {
    expect(loadConfig({ ...reachable, PUBLIC_URL: given }).publicUrl).toBe(read)
  }
})

it.each(['system', '9.9.9.9', '2620:fe::fe', '127.0.0.1:5353', '[::1]:53', 'https://dns.example/dns-query'])(
  'takes %s for a resolver',
  (resolver) => {
    expect(loadConfig({ ...reachable, SECOND_DNS_RESOLVER: resolver }).secondDnsResolver).toBe(resolver)
  },
)

describe('an invalid configuration', () => {
  it.each([
    ['RPC_URL_8453', {}],
    ['DEFAULT_REST_CHAIN_ID', { DEFAULT_REST_CHAIN_ID: '77' }],
    ['DEFAULT_REST_CHAIN_ID', { ...reachable, DEFAULT_REST_CHAIN_ID: 'base' }],
    ['PORT', { ...reachable, PORT: '70000' }],
    ['PORT', { ...reachable, PORT: 'http' }],
    ['API_ENABLED', { ...reachable, API_ENABLED: 'maybe' }],
    ['RPC_TIMEOUT_MS', { ...reachable, RPC_TIMEOUT_MS: '-5' }],
    ['PUBLIC_URL', { ...reachable, PUBLIC_URL: 'remit.example' }],
    ['PUBLIC_URL', { ...reachable, PUBLIC_URL: 'https://ada:secret@remit.example' }],
    ['PUBLIC_URL', { ...reachable, PUBLIC_URL: 'https://remit.example/?page=1' }],
    ['PUBLIC_URL', { ...reachable, PUBLIC_URL: 'https://remit.example/#top' }],
    ['SECOND_DNS_RESOLVER', { ...reachable, SECOND_DNS_RESOLVER: 'http://dns.example/dns-query' }],
    ['SECOND_DNS_RESOLVER', { ...reachable, SECOND_DNS_RESOLVER: 'dns.example' }],
    ['SECOND_DNS_RESOLVER', { ...reachable, SECOND_DNS_RESOLVER: '9.9.9.9:dns' }],
    ['DNS_RESOLVER', { ...reachable, DNS_RESOLVER: 'https://ada:secret@dns.example/' }],
    ['NAME_REGISTRY_8453', { ...reachable, NAME_REGISTRY_8453: 'ens' }],
    ['API_CORS_ALLOWED_ORIGINS', { ...reachable, API_CORS_ALLOWED_ORIGINS: 'https://a.example/path' }],
    ['RPC_LIMITS_8453', { ...reachable, RPC_LIMITS_8453: 'batch=many' }],
    ['RPC_LIMITS_8453', { ...reachable, RPC_LIMITS_8453: 'batches=3' }],
    ['RPC_LIMITS_8453', { ...reachable, RPC_LIMITS_8453: 'batch=0' }],
    ['CONTRACT_ADDRESS_10', { ...reachable, RPC_URL_10: 'http://one.example' }],
    ['CONTRACT_ADDRESS_8453', { ...reachable, CONTRACT_ADDRESS_8453: '0x1234' }],
    ['TOKENS_8453', { ...reachable, TOKENS_8453: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02914' }],
    ['CHAINS_FILE', { ...reachable, CHAINS_FILE: '/does/not/exist.json' }],
    ['SUBGRAPH_URL_8453', { ...reachable, INDEX_8453: 'subgraph' }],
    ['SUBGRAPH_URL_8453', { ...reachable, SUBGRAPH_URL_8453: 'ftp://graph.example' }],
    ['SUBGRAPH_API_KEY', { ...reachable, SUBGRAPH_API_KEY: 'two words' }],
    ['LOG_LEVEL', { ...reachable, LOG_LEVEL: 'loud' }],
    ['LOG_IDENTITY_KEY', { ...reachable, LOG_IDENTITY_KEY: 'short' }],
    ['METRICS_PORT', { ...reachable, METRICS_PORT: 'on' }],
    ['HTTP_MAX_CONNECTIONS', { ...reachable, HTTP_MAX_CONNECTIONS: '0' }],
    ['HTTP_MAX_STREAMS', { ...reachable, HTTP_MAX_CONNECTIONS: '100', HTTP_MAX_STREAMS: '100' }],
    ['LIMIT_DEVELOPER_STREAMS', { ...reachable, LIMIT_DEVELOPER_STREAMS: '0' }],
    ['HTTP_MAX_HEADER_BYTES', { ...reachable, HTTP_MAX_HEADER_BYTES: '1' }],
    ['HTTP_HEADERS_TIMEOUT_MS', { ...reachable, HTTP_HEADERS_TIMEOUT_MS: '40000' }],
    ['HTTP_KEEP_ALIVE_TIMEOUT_MS', { ...reachable, HTTP_KEEP_ALIVE_TIMEOUT_MS: 'long' }],
  ])('stops the start with a sentence that names %s', (variable, environment) => {
    expect(refusalOf(environment)).toContain(variable)
  })

  it('tells of everything that is wrong at once, and of each thing once', () => {
    const refusal = refusalOf({
      PORT: 'http',
      LOG_LEVEL: 'loud',
      CONTRACT_ADDRESS_8453: '0x1234',
      RPC_URL_10: 'http://one.example',
      TOKENS_84532: 'USDC',
      RPC_URL_84532: 'rpc.example',
      DEFAULT_REST_CHAIN_ID: 'base',
      DATABASE_URL: 'mysql://somewhere',
      API_REQUIRE_BASIC_AUTH: 'true',
      LIMIT_FREE_WRITE_RPM: 'none',
      LIMIT_DEVELOPER_WRITE_RPM: '0',
      HTTP_MAX_HEADER_BYTES: '1',
    })
    const [head, ...sentences] = refusal.split('\n')
    expect(head).toBe('13 settings are wrong:')
    const named = sentences.map((sentence) => /^- ([A-Z_\d]+) /.exec(sentence)?.[1])
    expect(named.toSorted()).toEqual([
      'API_BASIC_AUTH_PASSWORD',
      'API_BASIC_AUTH_USER',
      'CONTRACT_ADDRESS_10',
      'CONTRACT_ADDRESS_8453',
      'DATABASE_URL',
      'DEFAULT_REST_CHAIN_ID',
      'HTTP_MAX_HEADER_BYTES',
      'LIMIT_DEVELOPER_WRITE_RPM',
      'LIMIT_FREE_WRITE_RPM',
      'LOG_LEVEL',
      'PORT',
      'RPC_URL_84532',
      'TOKENS_84532',
    ])
  })

  it('asks for the first block of a contract that takes the place of a known one', () => {
    const own = { ...reachable, CONTRACT_ADDRESS_8453: '0x6A0791Cd884f2199dC8F372f6715f675D2950922' }
    expect(refusalOf(own)).toMatch(
      /^CONTRACT_ADDRESS_8453 replaces .* START_BLOCK_8453 is not set: .*32427185/,
    )
    expect(loadConfig({ ...own, START_BLOCK_8453: '0' }).chains[0]).toMatchObject({ firstBlock: 0 })
    // Where nothing is indexed, nothing can be left out; and the known contract may be named again.
    expect(() => loadConfig({ ...own, INDEX_8453: 'off' })).not.toThrow()
    const again = { ...reachable, CONTRACT_ADDRESS_8453: '0xfaf5fc2f77b21bc188f492b827d366b03a07c61f' }
    expect(() => loadConfig(again)).not.toThrow()
  })

  it('never repeats a value, which may hold a key', () => {
    expect(refusalOf({ RPC_URL_8453: 'wss://rpc.example/key-of-somebody' })).not.toContain('key-of-somebody')
    expect(refusalOf({ ...reachable, SUBGRAPH_API_KEY: 'my secret' })).not.toContain('secret')
  })

  it('counts an empty variable as not set', () => {
    expect(loadConfig({ ...reachable, PORT: '', PUBLIC_URL: ' ' })).toMatchObject({
      port: 3000,
      publicUrl: undefined,
    })
  })
})

it('knows who runs it where that is said, by an address of mail or of a page', () => {
  const named = { ...reachable, OPERATOR_NAME: 'Ada & Sons' }
  expect(loadConfig(reachable).operator).toBeNull()
  expect(loadConfig(named).operator).toEqual({ name: 'Ada & Sons', contact: null })
  expect(loadConfig({ ...named, OPERATOR_CONTACT: 'books@ada.example' }).operator?.contact).toEqual({
    words: 'books@ada.example',
    href: 'mailto:books@ada.example',
  })
  expect(loadConfig({ ...named, OPERATOR_CONTACT: 'https://ada.example/help' }).operator?.contact).toEqual({
    words: 'ada.example/help',
    href: 'https://ada.example/help',
  })
  expect(refusalOf({ ...named, OPERATOR_CONTACT: 'javascript:alert(1)' })).toMatch(/^OPERATOR_CONTACT/)
  expect(refusalOf({ ...reachable, OPERATOR_CONTACT: 'books@ada.example' })).toMatch(/^OPERATOR_NAME is not/)
})

describe('who may call', () => {
  it('is everybody, with keys switched on, where nothing is said', () => {
    expect(loadConfig(reachable)).toMatchObject({
      developerKeysEnabled: true,
      developerKeysAdminSecret: undefined,
      maxKeysPerSubject: 5,
      basicAuth: undefined,
      trustedProxies: [],
    })
  })

  it('is who knows the user and the password, where Basic Auth is required', () => {
    const basicAuth = {
      ...reachable,
      API_REQUIRE_BASIC_AUTH: 'true',
      API_BASIC_AUTH_USER: 'ada',
      API_BASIC_AUTH_PASSWORD: 'lovelace:1815',
    }
    expect(loadConfig(basicAuth).basicAuth).toEqual({ user: 'ada', password: 'lovelace:1815' })
    expect(loadConfig({ ...basicAuth, API_REQUIRE_BASIC_AUTH: 'false' }).basicAuth).toBeUndefined()
    expect(refusalOf({ ...basicAuth, API_BASIC_AUTH_USER: '' })).toMatch(/^API_BASIC_AUTH_USER is not set/)
    expect(refusalOf({ ...basicAuth, API_BASIC_AUTH_PASSWORD: ' ' })).toMatch(
      /^API_BASIC_AUTH_PASSWORD is not set/,
    )
    expect(refusalOf({ ...basicAuth, API_BASIC_AUTH_USER: 'a:b' })).toBe(
      'API_BASIC_AUTH_USER must have no colon.',
    )
  })

  it('is told from its proxies by addresses and networks', () => {
    const trusting = { ...reachable, TRUSTED_PROXIES: '10.0.0.0/8, ::1' }
    expect(loadConfig(trusting).trustedProxies).toEqual(['10.0.0.0/8', '::1'])
    expect(refusalOf({ ...reachable, TRUSTED_PROXIES: '10.0.0.0/8, loopback' })).toMatch(
      /^TRUSTED_PROXIES .*must/,
    )
    expect(refusalOf({ ...reachable, MAX_KEYS_PER_SUBJECT: '0' })).toMatch(/^MAX_KEYS_PER_SUBJECT must/)
  })
})

describe('the hosts that requests may name', () => {
  it('are names and addresses as requests have them, with a port or without', () => {
    const ALLOWED_HOSTS = 'API.example, api.example:80, other.example:8443, 10.0.0.5, [::1]:3000, localhost'
    expect(loadConfig({ ...reachable, ALLOWED_HOSTS }).allowedHosts).toEqual([
      'api.example',
      'api.example:80',
      'other.example:8443',
      '10.0.0.5',
      '[::1]:3000',
      'localhost',
    ])
  })

  // Each of them would be the host of no request, so that every one is refused.
  it.each([
    'https://api.example',
    'api.example/',
    '*.example',
    '::1',
    'bücher.example',
    'ada@api.example',
    'api.example:https',
    '127.1',
  ])('are not %s', (host) => {
    expect(refusalOf({ ...reachable, ALLOWED_HOSTS: `api.example,${host}` })).toBe(
      'ALLOWED_HOSTS 1 must list host names such as api.example or api.example:8443.',
    )
  })
})

const configOf = (environment: Record<string, string>) =>
  loadConfig({ RPC_URL_8453: 'https://rpc.example', ...environment })

describe('limits by environment', () => {
  it('are the published ones where nothing is set', () => {
    expect(configOf({}).limits).toEqual({
      lanes: {
        free: {
          globalRpm: 20,
          expensiveRpm: 3,
          subgraphDaily: 100,
          writeRpm: 2,
          writeDaily: 20,
          dailyTotalRequests: 500,
        },
        developer: {
          globalRpm: 80,
          expensiveRpm: 40,
          subgraphDaily: 3000,
          writeRpm: 5,
          writeDaily: 100,
          dailyTotalRequests: 5000,
        },
      },
      authFailuresRpm: 30,
      newKeysDaily: 5,
      challengesDaily: 20,
    })
  })

  it.each([
    ['LIMIT_FREE_GLOBAL_RPM', 'free', 'globalRpm'],
    ['LIMIT_FREE_EXPENSIVE_RPM', 'free', 'expensiveRpm'],
    ['LIMIT_FREE_SUBGRAPH_DAILY', 'free', 'subgraphDaily'],
    ['LIMIT_FREE_WRITE_RPM', 'free', 'writeRpm'],
    ['LIMIT_FREE_WRITE_DAILY', 'free', 'writeDaily'],
    ['LIMIT_FREE_DAILY_TOTAL_REQUESTS', 'free', 'dailyTotalRequests'],
    ['LIMIT_DEVELOPER_GLOBAL_RPM', 'developer', 'globalRpm'],
    ['LIMIT_DEVELOPER_EXPENSIVE_RPM', 'developer', 'expensiveRpm'],
    ['LIMIT_DEVELOPER_SUBGRAPH_DAILY', 'developer', 'subgraphDaily'],
    ['LIMIT_DEVELOPER_WRITE_RPM', 'developer', 'writeRpm'],
    ['LIMIT_DEVELOPER_WRITE_DAILY', 'developer', 'writeDaily'],
    ['LIMIT_DEVELOPER_DAILY_TOTAL_REQUESTS', 'developer', 'dailyTotalRequests'],
  ] as const)('%s sets one of them and leaves the others', (variable, lane, name) => {
    expect(configOf({ [variable]: '7' }).limits.lanes).toEqual({
      ...DEFAULT_LIMITS,
      [lane]: { ...DEFAULT_LIMITS[lane], [name]: 7 },
    })
  })

  it('bound failed credentials too', () => {
    expect(configOf({ LIMIT_AUTH_FAILURES_RPM: '4' }).limits.authFailuresRpm).toBe(4)
  })

  // Of nothing, no wait would ever be true.
  it.each(['0', '-1', '1.5', 'many', '10000000000'])('refuse %s, naming the variable', (value) => {
    expect(() => configOf({ LIMIT_FREE_WRITE_RPM: value })).toThrow(/^LIMIT_FREE_WRITE_RPM must be/)
  })

  it('can be multiplied as a whole', () => {
    const { lanes, authFailuresRpm } = configOf(multipliedLimits(100)).limits
    expect(lanes.free).toMatchObject({ globalRpm: 2_000, writeRpm: 200, dailyTotalRequests: 50_000 })
    expect(lanes.developer).toMatchObject({ globalRpm: 8_000, subgraphDaily: 300_000 })
    expect(authFailuresRpm).toBe(30)
  })

  it('keep the address of Redis out of what they complain', () => {
    expect(configOf({ REDIS_URL: 'rediss://:secret@redis.example:6380/2' }).redisUrl).toContain(
      'redis.example',
    )
    const wrong = () => configOf({ REDIS_URL: 'http://:secret@redis.example' })
    expect(wrong).toThrow(ConfigError)
    expect(wrong).toThrow(/^REDIS_URL must be a redis or rediss URL\.$/)
  })
})
