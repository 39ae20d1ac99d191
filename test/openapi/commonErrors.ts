import { mintKey } from '@remit/service/testing/access/keys/apiKey'
import type { SharedErrorExample } from '@remit/service/testing/surfaces/openapi/examples'
import Database from 'libsql'
import { json } from '../support/app/smallApp.ts'
import type { ExampleChain } from './exampleChain.ts'
import {
  ADMIN_SECRET,
  type Answered,
  type ExampleService,
  PUBLIC_URL,
  startExampleService,
} from './exampleService.ts'
import { startFailingNode } from './failingNode.ts'
import { rawExchange } from './rawExchange.ts'
import { steady } from './steady.ts'
import { type NamedError, recordSurfaceErrors } from './surfaceErrors.ts'

/** The errors that many operations may answer, each made to happen. */
export async function recordCommonErrors(
  chain: ExampleChain,
  service: ExampleService,
): Promise<SharedErrorExample[]> {
  const all = await Promise.all([
    refusals(service),
    limits(service),
    recordSurfaceErrors(),
    switchedOff(chain),
    withoutStreams(chain),
    uncounted(chain),
    incomplete(chain),
    misconfigured(chain),
    overSilentNode(chain),
    overRefusingNode(chain),
  ])
  return all.flat().map(({ answered: { status, body }, ...about }) => {
    const code = String(body.code)
    if (!about.name.startsWith(code))
      throw new Error(`The example ${about.name} came out as ${code}: ${body.error}`)
    return { ...about, code, status, body: steady(body) }
  })
}

/** What is wrong with the request itself. */
async function refusals({ fetch, port }: ExampleService): Promise<NamedError[]> {
  const post = (init: RequestInit) =>
    fetch('/prepare/remit', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: '{}',
      ...init,
    })
  const unfit = { from: '0x1', amount: '1e18', token: 'USDC', frequency: 4, dueDay: 31, surplus: true }
  const withKey = (headers: Record<string, string>) => fetch('/catalog', { headers })
  return [
    {
      name: 'VALIDATION_ERROR',
      summary: 'Fields that do not fit: each is named',
      answered: await fetch('/prepare/create_subscription', json(unfit)),
    },
    {
      name: 'VALIDATION_ERROR_chainId',
      summary: 'A chain that is not served',
      answered: await fetch('/catalog?chainId=1'),
    },
    {
      name: 'UNAUTHORIZED',
      summary: 'An API key that is not live',
      answered: await withKey({ Authorization: 'Bearer svc_revoked' }),
    },
    {
      name: 'UNAUTHORIZED_operators',
      summary: 'Without the admin secret',
      audience: 'operators',
      answered: await fetch('/developer/keys'),
    },
    {
      name: 'SIGN_IN_FAILED',
      summary: 'A message that is for another site',
      answered: await fetch(
        '/portal/session',
        json({ message: 'Sign in', signature: '0x12' }, { Origin: PUBLIC_URL }),
      ),
    },
    {
      name: 'FORBIDDEN',
      summary: 'A Host that the operator has not allowed',
      answered: await rawExchange(
        port,
        'GET /catalog HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n',
      ),
    },
    {
      name: 'NOT_ACCEPTABLE',
      summary: 'Accept without JSON',
      answered: await withKey({ Accept: 'text/csv' }),
    },
    {
      name: 'PAYLOAD_TOO_LARGE',
      summary: 'A body over 64 KiB',
      answered: await post({ body: 'x'.repeat(70_000) }),
    },
    {
      name: 'UNSUPPORTED_MEDIA_TYPE',
      summary: 'A body that is not said to be JSON',
      answered: await post({ headers: { 'Content-Type': 'text/plain' } }),
    },
    {
      name: 'URI_TOO_LONG',
      summary: 'An address over 8 KiB',
      answered: await fetch(`/${'x'.repeat(9_000)}`),
    },
    {
      name: 'HEADERS_TOO_LARGE',
      summary: 'Headers over what the operator allows',
      answered: await withKey({ 'X-Fill': 'x'.repeat(40_000) }),
    },
    {
      name: 'BLOCK_NOT_SEEN',
      summary: 'minBlock is still to come',
      answered: await fetch('/protocol/state?minBlock=99999999'),
    },
  ]
}

/** A caller who asks too often. */
async function limits({ fetch }: ExampleService): Promise<NamedError[]> {
  const from = (address: string) => ({ 'X-Forwarded-For': address })
  const write = json({ from: `0x${'1'.repeat(40)}` }, from('2001:db8:1::1'))
  const failing = { headers: { ...from('2001:db8:2::1'), 'X-Service-Admin-Key': `${ADMIN_SECRET}!` } }
  return [
    {
      name: 'RATE_LIMITED',
      summary: 'The third write of a minute on the free lane',
      answered: await untilStatus(429, () => fetch('/check_remit_readiness', write)),
    },
    {
      name: 'RATE_LIMITED_operators',
      summary: 'Too many secrets that were wrong',
      audience: 'operators',
      answered: await untilStatus(429, () => fetch('/developer/keys', failing)),
    },
  ]
}

/** A service that has no room for a stream. */
async function withoutStreams(chain: ExampleChain): Promise<NamedError[]> {
  const service = await startExampleService(chain, { HTTP_MAX_STREAMS: '0' })
  try {
    return [
      {
        name: 'TOO_MANY_STREAMS',
        summary: 'As many streams and long polls are open as HTTP_MAX_STREAMS lets',
        answered: await service.fetch('/events/stream'),
      },
    ]
  } finally {
    await service.close()
  }
}

/** A service whose operator has switched things off. */
async function switchedOff(chain: ExampleChain): Promise<NamedError[]> {
  const service = await startExampleService(chain, {
    API_ENABLED: 'false',
    DEVELOPER_KEYS_ENABLED: 'false',
  })
  try {
    return [
      {
        name: 'API_DISABLED',
        summary: 'API_ENABLED=false',
        answered: await service.fetch('/protocol/state'),
      },
      {
        name: 'DEVELOPER_KEYS_DISABLED',
        summary: 'DEVELOPER_KEYS_ENABLED=false',
        answered: await service.fetch('/developer/keys'),
      },
    ]
  } finally {
    await service.close()
  }
}

/** A service that cannot count. */
async function uncounted(chain: ExampleChain): Promise<NamedError[]> {
  const service = await startExampleService(chain, {
    // Nobody listens there.
    REDIS_URL: 'redis://127.0.0.1:9',
    LIMITER_GRACE_SECONDS: '0',
  })
  try {
    return [
      {
        name: 'LIMITER_UNAVAILABLE',
        summary: 'Redis is away for longer than the grace',
        answered: await service.fetch('/catalog'),
      },
    ]
  } finally {
    await service.close()
  }
}

/** A service without an admin secret, that loses its keys. */
async function incomplete(chain: ExampleChain): Promise<NamedError[]> {
  const service = await startExampleService(chain, {
    DEVELOPER_KEYS_ADMIN_SECRET: '',
    PORTAL: 'off',
    PASSES: 'off',
    RESCUES: 'off',
  })
  try {
    const unmanaged = await service.fetch('/developer/keys')
    const closed = await service.fetch('/portal/nonce', json({}, { Origin: PUBLIC_URL }))
    const passless = await service.fetch('/.well-known/jwks.json')
    const store = new Database(service.databasePath)
    store.exec('DROP TABLE api_keys')
    store.close()
    const unknown = { Authorization: `Bearer ${mintKey()}` }
    return [
      { name: 'PORTAL_CLOSED', summary: 'PORTAL=off', answered: closed },
      { name: 'PASSES_OFF', summary: 'PASSES=off', answered: passless },
      { name: 'ADMIN_NOT_CONFIGURED', summary: 'No DEVELOPER_KEYS_ADMIN_SECRET', answered: unmanaged },
      {
        name: 'KEYS_UNAVAILABLE',
        summary: 'The store of keys is away',
        answered: await service.fetch('/catalog', { headers: unknown }),
      },
    ]
  } finally {
    await service.close()
  }
}

/** A service whose operator named an address without a contract. */
async function misconfigured(chain: ExampleChain): Promise<NamedError[]> {
  const service = await startExampleService(chain, {
    [`CONTRACT_ADDRESS_${chain.chainId}`]: '0x0000000000000000000000000000000000001234',
  })
  try {
    return [
      {
        name: 'CHAIN_MISCONFIGURED',
        summary: 'CONTRACT_ADDRESS_<id> is not the protocol’s contract',
        answered: await service.fetch('/protocol/state'),
      },
    ]
  } finally {
    await service.close()
  }
}

/** A service whose chain does not answer. */
async function overSilentNode(chain: ExampleChain): Promise<NamedError[]> {
  const node = await startFailingNode('hangs')
  const service = await startExampleService({ ...chain, url: node.url }, { RPC_TIMEOUT_MS: '500' })
  try {
    const late = await service.fetch('/protocol/state')
    return [{ name: 'UPSTREAM_TIMEOUT', summary: 'The chain’s node is too slow', answered: late }]
  } finally {
    await service.close()
    node.close()
  }
}

async function overRefusingNode(chain: ExampleChain): Promise<NamedError[]> {
  const node = await startFailingNode('refuses')
  const service = await startExampleService({ ...chain, url: node.url })
  try {
    return [
      {
        name: 'UPSTREAM_ERROR_rpc',
        summary: 'The chain’s node fails',
        answered: await service.fetch('/protocol/state'),
      },
    ]
  } finally {
    await service.close()
    node.close()
  }
}

const MOST_ATTEMPTS = 200

async function untilStatus(status: number, ask: () => Promise<Answered>): Promise<Answered> {
  for (let attempt = 0; attempt < MOST_ATTEMPTS; attempt += 1) {
    const answered = await ask()
    if (answered.status === status) return answered
  }
  throw new Error(`No answer has the status ${status} after ${MOST_ATTEMPTS} requests`)
}
