import { describe, expect, it } from 'vitest'
import { editDistance, misspellings } from './misspellings.ts'
import { VARIABLES } from './variables.ts'

const sentence = (name: string, meant: string) =>
  `${name} is no variable of this service and changes nothing: was ${meant} meant?`

describe('a variable that is none of ours', () => {
  it.each([
    ['LIMIT_FREE_GLOBL_RPM', 'LIMIT_FREE_GLOBAL_RPM'],
    ['REDIS_URI', 'REDIS_URL'],
    ['DATABSE_URL', 'DATABASE_URL'],
    ['LOGLEVEL', 'LOG_LEVEL'],
    ['log_level', 'LOG_LEVEL'],
    ['RPC_URLS_8453', 'RPC_URL_<id>'],
    ['RPC_URL', 'RPC_URL_<id>'],
    ['RPC_URL_BASE', 'RPC_URL_<id>'],
    ['SUBGRAPH_API_KEY_8453', 'SUBGRAPH_API_KEY'],
    ['CONTRACT_ADRESS_8453', 'CONTRACT_ADDRESS_<id>'],
    ['DEVELOPER_KEY_ADMIN_SECRET', 'DEVELOPER_KEYS_ADMIN_SECRET'],
  ])('is told of where it is near one: %s', (name, meant) => {
    expect(misspellings({ [name]: 'secret' })).toEqual([sentence(name, meant)])
  })

  it.each([
    'HOME',
    'PATH',
    'HOSTNAME',
    'NODE_ENV',
    'NODE_OPTIONS',
    'HTTP_PROXY',
    'NO_PROXY',
    'LOGNAME',
    'REDIS_PORT',
    'REDIS_PORT_6379_TCP',
    'REDIS_SERVICE_HOST',
    'KUBERNETES_PORT',
    'POSTGRES_USER',
    'POSTGRES_DB',
    'SSL_CERT_FILE',
    'npm_config_registry',
  ])('is left alone where it is somebody else’s: %s', (name) => {
    expect(misspellings({ [name]: 'anything' })).toEqual([])
  })

  it('is not told of where it is empty', () => {
    expect(misspellings({ REDIS_URI: '' })).toEqual([])
  })
})

it('no declared variable is taken for a misspelling, for whatever chain', () => {
  const all = VARIABLES.map(({ name }) => [name.replace('<id>', '8543'), 'anything'])
  expect(misspellings(Object.fromEntries(all))).toEqual([])
})

it('counts letters that are put in, left out, replaced and swapped', () => {
  expect(editDistance('abcd', 'abcd')).toBe(0)
  expect(editDistance('abcd', 'abxcd')).toBe(1)
  expect(editDistance('abcd', 'abd')).toBe(1)
  expect(editDistance('abcd', 'abxd')).toBe(1)
  expect(editDistance('abcd', 'abdc')).toBe(1)
  expect(editDistance('', 'abc')).toBe(3)
})
