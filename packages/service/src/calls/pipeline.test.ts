import { defineOperation } from '@remit/engine/declare/operation'
import { UpstreamError } from '@remit/engine/errors/chain'
import { ValidationError } from '@remit/engine/errors/input'
import type { ChainsPort, ChainView } from '@remit/engine/ports/chains'
import { smallChains, smallPipeline, smallService } from '@remit/testing/support/app/smallApp'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { UnauthorizedError } from '../errors/access.ts'
import type { ChargingPort, IdentityPort, TakenUnits } from '../ports/access.ts'
import type { Surface } from './pipeline.ts'
import { defineServiceOperation, type Operation } from './serviceOperation.ts'

const BLOCK_HASH = `0x${'ab'.repeat(32)}` as const
const ADDRESS = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913'

const view: ChainView = {
  chainId: 10,
  name: 'Ten',
  isDevChain: false,
  contractAddress: ADDRESS,
  asOf: { blockNumber: 7, blockHash: BLOCK_HASH, timestamp: 86_400 },
  now: 86_401,
  today: 1,
  get read(): never {
    throw new Error('not read in these tests')
  },
  get remit(): never {
    throw new Error('not tried in these tests')
  },
  readAt: () => {
    throw new Error('not read in these tests')
  },
  forecast: () => Promise.reject(new Error('not asked in these tests')),
  onDay: () => view,
  isSignedByContract: () => Promise.reject(new Error('not asked in these tests')),
  outstandingPermits: () => Promise.reject(new Error('not asked in these tests')),
  nameOf: () => Promise.reject(new Error('not asked in these tests')),
  attempt: () => Promise.reject(new Error('not tried in these tests')),
  prove: () => Promise.reject(new Error('not proven in these tests')),
  transaction: () => Promise.reject(new Error('not asked in these tests')),
  sealedState: () => Promise.reject(new Error('not asked in these tests')),
  sealedBlock: () => Promise.reject(new Error('not asked in these tests')),
}

/** The pipeline over fakes of its own ports, and the order in which it used them. */
function stage(
  overrides: { apiEnabled?: boolean; identities?: IdentityPort; charging?: Partial<ChargingPort> } = {},
) {
  const steps: string[] = []
  const charge: TakenUnits = {
    quotas: [],
    giveBack: async () => {
      steps.push('give back')
    },
  }
  const chains: ChainsPort = {
    ...smallChains(),
    rows: [
      { chainId: 10, caip2: 'eip155:10', name: 'Ten', rest: true, mcp: true, default: true },
      { chainId: 11, caip2: 'eip155:11', name: 'Eleven', rest: false, mcp: true, default: false },
    ],
    defaultChainId: 10,
    withView: async (chainId, { minBlock }, use) => {
      steps.push(`view of ${chainId}${minBlock === undefined ? '' : ` from block ${minBlock}`}`)
      return use(view)
    },
  }
  const pipeline = smallPipeline({
    identities: overrides.identities ?? { identify: async () => ({ lane: 'free', id: 'somebody' }) },
    charging: {
      admit: () => {
        steps.push('admit')
      },
      take: async (_identity, metering, buckets) => {
        steps.push(`take ${[metering, ...buckets].join('+')}`)
        return charge
      },
      ...overrides.charging,
    },
    chains,
    service: smallService(chains, { apiEnabled: overrides.apiEnabled ?? true }),
  })
  const call = async (
    operation: Parameters<typeof pipeline.call>[1],
    input: unknown,
    surface: Surface = 'rest',
  ) => {
    const caller = await pipeline.identifyCaller(surface, {
      remoteAddress: '192.0.2.1',
      method: 'GET',
      header: () => undefined,
    })
    return pipeline.call(caller, operation, async () => {
      steps.push('read')
      return { chainId: 10, minBlock: undefined, input }
    })
  }
  return { steps, pipeline, call }
}

const echo: Operation = {
  ...defineOperation({
    name: 'echo',
    effect: 'read',
    kind: 'chain',
    access: 'read',
    summary: 'Says it again',
    rest: { method: 'GET', path: '/echo/:word' },
    input: z.object({ word: z.string().max(5) }),
    output: z.object({ word: z.string() }),
    handle: async ({ input }) => ({ word: input.word }),
  }),
  buckets: ['write'],
  toolBuckets: ['expensive'],
}

const failing = defineOperation({
  name: 'failing',
  effect: 'prepare',
  kind: 'prepare',
  access: 'write',
  summary: 'Fails upstream',
  rest: null,
  input: z.object({}),
  output: z.object({}),
  handle: async () => {
    throw new UpstreamError(10)
  },
})

describe('the pipeline', () => {
  it('admits before it reads, decodes before it takes, and takes before it handles', async () => {
    const { steps, call } = stage()
    const { body } = await call(echo, { word: 'hello' })
    expect(steps).toEqual(['admit', 'read', 'take metered+write', 'view of 10'])
    expect(body).toEqual({
      word: 'hello',
      chainId: 10,
      asOf: { blockNumber: 7, blockHash: BLOCK_HASH, timestamp: 86_400 },
    })
  })

  it('takes a tool’s buckets where they differ from the route’s', async () => {
    const { steps, call } = stage()
    await call(echo, { word: 'hello' }, 'mcp')
    expect(steps).toContain('take call+expensive')
  })

  it('takes only the totals for invalid input, and does not call the handler', async () => {
    const { steps, call } = stage()
    await expect(call(echo, { word: 'too long', more: 1 })).rejects.toThrow(ValidationError)
    expect(steps).toEqual(['admit', 'read', 'take metered'])
  })

  it('names every invalid field', async () => {
    const { call } = stage()
    const error = await call(echo, { word: 'too long', more: 1 }).catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({
      issues: [{ path: 'word' }, { path: 'more', message: 'is not a known field' }],
    })
  })

  it('reads nothing where the minute is spent', async () => {
    const { steps, call } = stage({
      charging: {
        admit: () => {
          throw new Error('spent')
        },
      },
    })
    await expect(call(echo, { word: 'hello' })).rejects.toThrow('spent')
    expect(steps).toEqual([])
  })

  it('handles nothing where a bucket is spent', async () => {
    const { steps, call } = stage({
      charging: {
        take: async () => {
          throw new Error('spent')
        },
      },
    })
    await expect(call(echo, { word: 'hello' })).rejects.toThrow('spent')
    expect(steps).toEqual(['admit', 'read'])
  })

  it('gives the units of the buckets back for a failure that was not the caller’s', async () => {
    const { steps, call } = stage()
    await expect(call(failing, {})).rejects.toThrow(UpstreamError)
    expect(steps.at(-1)).toBe('give back')
  })

  it('gives nothing back where no bucket was taken from', async () => {
    const { steps, call } = stage()
    await expect(call({ ...failing, buckets: [] }, {})).rejects.toThrow(UpstreamError)
    expect(steps).not.toContain('give back')
  })

  it('refuses a caller that cannot be identified', async () => {
    const { pipeline } = stage({
      identities: {
        identify: async () => {
          throw new UnauthorizedError('no')
        },
      },
    })
    const entering = pipeline.identifyCaller('rest', {
      remoteAddress: undefined,
      method: 'GET',
      header: () => undefined,
    })
    await expect(entering).rejects.toThrow(UnauthorizedError)
  })

  it('refuses everything while the API is switched off, except operations that say otherwise', async () => {
    const { call } = stage({ apiEnabled: false })
    await expect(call(echo, { word: 'hello' })).rejects.toMatchObject({ code: 'API_DISABLED', status: 503 })
    expect(await call({ ...echo, whileDisabled: true }, { word: 'hello' })).toMatchObject({
      body: { word: 'hello' },
    })
  })

  it.each(['keys', 'owner'] as const)(
    'gives no %s to a caller that has none, whatever asks for it',
    async (what) => {
      const asking = defineServiceOperation({
        name: 'ask',
        effect: 'read',
        access: 'read',
        summary: 'Asks',
        rest: null,
        input: z.object({}),
        output: z.object({ given: z.string() }),
        handle: async (context) => ({ given: String(context[what]) }),
      })
      const { call } = stage()
      await expect(call(asking, {})).rejects.toThrow(UnauthorizedError)
    },
  )

  it.each(['keys', 'session', 'signIn', 'pass'] as const)(
    'has no tool for a call of the row %s',
    (access) => {
      const { tool } = defineServiceOperation({
        name: 'manage',
        effect: 'manage',
        access,
        summary: 'Manages',
        rest: null,
        tool: { profiles: ['read'], text: () => '' },
        input: z.object({}),
        output: z.object({}),
        handle: async () => ({}),
      })
      expect(tool).toBe(false)
    },
  )
})
