import { TestToken } from '@remit/contracts/TestToken'
import type { Operation } from '@remit/service/testing/calls/serviceOperation'
import type { ErrorExample } from '@remit/service/testing/surfaces/openapi/examples'
import type { Address, Hex } from 'viem'
import * as z from 'zod'
import { json } from '../support/app/smallApp.ts'
import type { ExampleChain } from './exampleChain.ts'
import { withFullRescues } from './exampleRescues.ts'
import { ADMIN_SECRET, type ExampleService, type Exchange } from './exampleService.ts'
import { findNotEntitled, signInAsContract } from './exampleSession.ts'
import { UNPROVEN_URL } from './exampleWebhooks.ts'
import type { LesserNode } from './failingNode.ts'
import type { SampleInput } from './sampleInput.ts'
import { steady } from './steady.ts'

/** What own errors are made with. */
export interface Ground {
  readonly chain: ExampleChain
  readonly service: ExampleService
  /** The same without an index, without webhooks, and without permits that are kept. */
  readonly unindexed: ExampleService
  /** The same over a chain that nobody has reached yet. */
  readonly unreached: ExampleService
  /** The same over a node without eth_simulateV1. */
  readonly unsimulated: ExampleService
  /** The same where no forecast can be made. */
  readonly unforeseen: ExampleService
  /** The same over a node that may do less. */
  readonly unproven: ExampleService
  readonly unprovenNode: LesserNode
  readonly sample: SampleInput
  /** Cursors of the first pages of lists, as long as the newest block was there. */
  readonly cursors: ReadonlyMap<Operation, string>
}

type Way = (ground: Ground, operation: Operation) => Promise<Exchange | undefined>

/** A token that answers 0 to everything: nobody has anything any more, and nothing is approved. */
const EMPTIED = '0x600060005260206000f3'
/** Reverts whatever it is asked. */
const REFUSING = '0x60006000fd'

/** How an error that is an operation's own comes about, by its code. What has no way here is recorded as common. */
const WAYS: Readonly<Record<string, Way>> = {
  NOT_FOUND: ({ service, unindexed, sample }, operation) => {
    const isOff = operation.audience === 'wallets' && operation.name !== 'withdraw_rescue'
    return (isOff ? unindexed : service).call(operation, sample.absent(operation))
  },
  SUBSCRIPTION_MISMATCH: ({ service, sample }, operation) =>
    service.call(operation, sample.mistaken(operation)),
  NOT_READY: ({ service, sample }, operation) => service.call(operation, sample.refused(operation)),
  SIMULATION_FAILED: provenElsewhere,
  INDEX_UNAVAILABLE: ({ unindexed, sample }, operation) => unindexed.call(operation, sample.of(operation)),
  CURSOR_STALE: async ({ service, sample, cursors }, operation) => {
    const after = cursors.get(operation)
    return after === undefined ? undefined : service.call(operation, { ...sample.of(operation), after })
  },
  UPSTREAM_ERROR: async ({ chain, unindexed, unreached, sample }, operation) => {
    if (operation.name === 'sign_in') return signInAsContract(unreached)
    return withCode(chain, { address: chain.contract, bytecode: REFUSING }, () =>
      unindexed.call(operation, sample.of(operation)),
    )
  },
  SIMULATION_UNSUPPORTED: ({ unsimulated, sample }, operation) =>
    unsimulated.call(operation, sample.of(operation)),
  PROOF_UNSUPPORTED: (ground, operation) => proven(ground, operation, { hasStrangeHeaders: true }),
  PROOF_UNAVAILABLE: (ground, operation) => proven(ground, operation, { lacks: PROVING }),
  PERMIT_UNSUPPORTED: ({ chain, service, sample }, operation) => {
    const input = sample.of(operation)
    const permit = 'permit' in operation.input.shape ? { permit: true } : {}
    const world = { address: chain.tokens.usdc, bytecode: TestToken.deployedBytecode }
    return withCode(chain, world, () => service.call(operation, { ...input, ...permit }))
  },
  PERMIT_VOID: ({ service, sample }, operation) =>
    service.call(operation, { ...sample.of(operation), deadline: 1_773_144_000 }),
  AUTHORIZATION_UNSUPPORTED: ({ chain, service, sample }, operation) => {
    const input = sample.of(operation)
    const authorization = 'authorization' in operation.input.shape ? { authorization: true } : {}
    const world = { address: chain.tokens.usdc, bytecode: TestToken.deployedBytecode }
    return withCode(chain, world, () => service.call(operation, { ...input, ...authorization }))
  },
  AUTHORIZATION_VOID: ({ service, sample }, operation) =>
    service.call(operation, { ...sample.of(operation), value: '1' }),
  FORECAST_UNAVAILABLE: ({ unforeseen, sample }, operation) =>
    unforeseen.call(operation, sample.of(operation)),
  NOT_ENTITLED: ({ chain, service }) =>
    findNotEntitled(
      service,
      Object.values(chain.cast).map(({ id }) => id),
    ),
  BLOCK_NOT_SEEN: ({ unreached, sample }, operation) => unreached.call(operation, sample.of(operation)),
  WEBHOOKS_DISABLED: ({ unindexed, sample }, operation) => unindexed.call(operation, sample.of(operation)),
  WEBHOOK_UNPROVEN: ({ service, sample }, operation) =>
    service.call(operation, { ...sample.of(operation), url: UNPROVEN_URL }),
  MAX_WEBHOOKS: async ({ service, sample }, operation) => {
    const most = 20
    for (let times = 0; times < most; times += 1) {
      const exchange = await service.call(operation, sample.of(operation))
      if (exchange.status === 409) return exchange
    }
    return undefined
  },
  MAX_RESCUES: ({ chain, service, sample }, operation) =>
    withFullRescues(service, chain, () => service.call(operation, { ...sample.of(operation), public: true })),
  MAX_KEYS: async ({ service, sample }, operation) => {
    const most = 5
    if (operation.name === 'rotate_key') return rotateTooOften(service, operation, most)
    const calls = Array.from({ length: most + 1 }, () => service.call(operation, sample.of(operation)))
    return (await Promise.all(calls)).find(({ status }) => status === 409)
  },
}

/** Errors that are operations' own, recorded as the chain comes to where they happen. */
export class OwnErrors {
  readonly #found = new Map<Operation, ReadonlyMap<string, ErrorExample>>()

  /** Tries whatever is still missing, with the chain as it is. */
  async record(ground: Ground, operations: readonly Operation[]): Promise<void> {
    for (const operation of operations) {
      for (const { code, when } of this.missing(operation)) {
        const { status, body } = (await WAYS[code]?.(ground, operation)) ?? {}
        if (status === undefined || body?.code !== code) continue
        const example = { code, status, summary: when, body: steady(body) }
        this.#found.set(operation, new Map([...(this.#found.get(operation) ?? []), [code, example]]))
      }
    }
  }

  /** The errors of an operation that have a way and have not come about. */
  missing(operation: Operation): Operation['errors'] {
    return operation.errors.filter(({ code }) => code in WAYS && !this.#found.get(operation)?.has(code))
  }

  /** In the order in which the operation declares them. */
  of(operation: Operation): ErrorExample[] {
    return operation.errors.flatMap(({ code }) => this.#found.get(operation)?.get(code) ?? [])
  }
}

/** What proofs are made of. */
const PROVING = ['eth_getProof', 'eth_getBlockReceipts', 'eth_getTransactionReceipt']

/** Asks for a proof while the node does less. Its index has read all before. */
async function proven(
  { unproven, unprovenNode, sample }: Ground,
  operation: Operation,
  less: Partial<Pick<LesserNode, 'lacks' | 'hasStrangeHeaders'>>,
): Promise<Exchange> {
  Object.assign(unprovenNode, less)
  try {
    return await unproven.call(operation, { ...sample.of(operation), proof: true })
  } finally {
    Object.assign(unprovenNode, { lacks: [], hasStrangeHeaders: false })
  }
}

/** What was read before the token or the contract came to refuse is proven after that. */
async function provenElsewhere(
  { chain, service, sample }: Ground,
  operation: Operation,
): Promise<Exchange | undefined> {
  const input = sample.of(operation)
  const { contract, tokens } = chain
  const worlds = [
    { address: tokens.usdc, bytecode: EMPTIED },
    { address: tokens.usdc, bytecode: REFUSING },
    { address: contract, bytecode: REFUSING },
  ] as const
  for (const world of worlds) {
    await service.call(operation, { ...input, readinessOnly: true })
    const exchange = await withCode(chain, world, () => service.call(operation, input))
    if (exchange.body.code === 'SIMULATION_FAILED') return exchange
  }
  return undefined
}

/** What comes of it while there is other code at an address. */
async function withCode<Result>(
  { client }: ExampleChain,
  { address, bytecode }: { address: Address; bytecode: Hex },
  work: () => Promise<Result>,
): Promise<Result> {
  const code = await client.getCode({ address })
  if (code === undefined) throw new Error(`${address} has no code`)
  await client.setCode({ address, bytecode })
  try {
    return await work()
  } finally {
    await client.setCode({ address, bytecode: code })
  }
}

const MadeKey = z.object({ id: z.string() })

/** Replaces a key so often that too many old ones still work. */
async function rotateTooOften(
  service: ExampleService,
  operation: Operation,
  most: number,
): Promise<Exchange> {
  const { body } = await service.fetch(
    '/developer/keys',
    json({ subjectId: 'rotating' }, { 'X-Service-Admin-Key': ADMIN_SECRET }),
  )
  let { id } = MadeKey.parse(body)
  for (let times = 0; times < most; times += 1) {
    id = MadeKey.parse((await service.call(operation, { id })).body).id
  }
  return service.call(operation, { id })
}
