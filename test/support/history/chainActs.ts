import fc from 'fast-check'
import {
  addressOf,
  hashOf,
  type LooseApproval,
  type LooseEvent,
  loose,
  looseApproval,
  type SyntheticBlock,
  type SyntheticChain,
  subLog,
} from './SyntheticChain.ts'

/** What happens to a chain. */
export type ChainAct =
  | { readonly type: 'mine'; readonly events: readonly EventSpec[]; readonly gap: number }
  /** Blocks go, and as many or fewer or more come, with some of the events of those that went. */
  | {
      readonly type: 'fork'
      readonly depth: number
      readonly blocks: readonly { readonly reinclude: boolean; readonly events: readonly EventSpec[] }[]
    }
  /** Many blocks, and among them some with an event or an approval each. */
  | {
      readonly type: 'run'
      readonly blocks: number
      readonly events: readonly EventSpec[]
      readonly approvals: readonly { readonly account: number; readonly token: number }[]
    }

interface EventSpec {
  /** 0 to 9: a SubLog; details; a profile. */
  readonly kind: number
  readonly subscription: number
  readonly account: number
  /** The provider, or the one that a janitor's tuple names. */
  readonly provider: number
  readonly token: number
}

const SUBSCRIPTIONS = 6
const DETAILS = 10
const PROFILE = 11

const CREATE = 0
const CANCEL = 1
const SUBREFUND = 9

export const subscriptionIds = Array.from({ length: SUBSCRIPTIONS }, (_, index) =>
  hashOf(`subscription ${index}`),
)
export const accounts = Array.from({ length: 4 }, (_, index) => addressOf(`account ${index}`))
const tokens = [addressOf('token 0'), addressOf('token 1')]

const spec: fc.Arbitrary<EventSpec> = fc.record({
  // Creations, subscribing and leaving are what derived rows hang on.
  kind: fc.oneof(
    fc.integer({ min: 0, max: PROFILE }),
    fc.constantFrom(CREATE, 6, 6, 7, SUBREFUND, CANCEL, DETAILS),
  ),
  subscription: fc.integer({ min: 0, max: SUBSCRIPTIONS - 1 }),
  account: fc.integer({ min: 0, max: accounts.length - 1 }),
  provider: fc.integer({ min: 0, max: accounts.length - 1 }),
  token: fc.integer({ min: 0, max: tokens.length - 1 }),
})

const specs = fc.array(spec, { maxLength: 5 })

export const mining: fc.Arbitrary<ChainAct> = fc.record({
  type: fc.constant('mine' as const),
  events: specs,
  gap: fc.integer({ min: 1, max: 3 }),
})

export const forking = (maxDepth: number, minBlocks = 1): fc.Arbitrary<ChainAct> =>
  fc.record({
    type: fc.constant('fork' as const),
    depth: fc.integer({ min: 1, max: maxDepth }),
    blocks: fc.array(fc.record({ reinclude: fc.boolean(), events: specs }), {
      minLength: minBlocks,
      maxLength: 6,
    }),
  })

export const running = (mostBlocks: number): fc.Arbitrary<ChainAct> =>
  fc.record({
    type: fc.constant('run' as const),
    blocks: fc.integer({ min: 1, max: mostBlocks }),
    events: fc.array(spec, { maxLength: 40, size: 'max' }),
    approvals: fc.array(
      fc.record({
        account: fc.integer({ min: 0, max: accounts.length - 1 }),
        token: fc.integer({ min: 0, max: tokens.length - 1 }),
      }),
      { maxLength: 8, size: 'max' },
    ),
  })

/** Does an act, as far as a contract would allow its events. */
export function perform(chain: SyntheticChain, act: ChainAct): void {
  if (act.type === 'run') {
    const { blocks } = act
    const inBlock = <Item>(items: readonly Item[], block: number) =>
      items.filter((_, index) => Math.floor((index * blocks) / items.length) === block)
    for (let block = 0; block < blocks; block += 1) {
      const approvals = inBlock(act.approvals, block).map(({ account, token }) =>
        looseApproval(pick(accounts, account), pick(tokens, token)),
      )
      mineAllowed(chain, inBlock(act.events, block).map(eventOf), 1, approvals)
    }
    return
  }
  if (act.type === 'mine') {
    mineAllowed(chain, act.events.map(eventOf), act.gap)
    return
  }
  const dropped = chain.drop(Math.min(act.depth, chain.blocks.length))
  act.blocks.forEach(({ reinclude, events }, index) => {
    const again: readonly LooseEvent[] = reinclude ? (dropped[index]?.events ?? []) : []
    mineAllowed(chain, [...again, ...events.map(eventOf)], 1)
  })
}

/** Subscriptions are created once before all else, and cancelled once; only the janitor names any provider. */
function mineAllowed(
  chain: SyntheticChain,
  events: readonly LooseEvent[],
  gap: number,
  approvals: readonly LooseApproval[] = [],
): void {
  const { created, cancelled } = standing(chain.blocks)
  const allowed: LooseEvent[] = []
  for (const loose of events) {
    const { event } = loose
    if (event.type === 'ProvDetailsLog' || event.type === 'CallerLog') {
      allowed.push(loose)
      continue
    }
    const provider = created.get(event.id)
    if (event.type === 'DetailsLog') {
      if (provider !== undefined) allowed.push(loose)
      continue
    }
    if (event.subScriptEvent === CREATE) {
      if (provider !== undefined) continue
      const creator = pick(accounts, Number(BigInt(event.id) % BigInt(accounts.length)))
      created.set(event.id, creator)
      // An id is made of its creator: on every branch of the chain it has the same one.
      allowed.push({ ...loose, event: { ...event, provider: creator } })
      continue
    }
    if (provider === undefined || (event.subScriptEvent === CANCEL && cancelled.has(event.id))) continue
    if (event.subScriptEvent === CANCEL) cancelled.add(event.id)
    allowed.push(event.subScriptEvent === SUBREFUND ? loose : { ...loose, event: { ...event, provider } })
  }
  chain.mine(allowed, gap, approvals)
}

function standing(blocks: readonly SyntheticBlock[]) {
  const created = new Map<string, `0x${string}`>()
  const cancelled = new Set<string>()
  for (const { event } of blocks.flatMap(({ events }) => events)) {
    if (event.type !== 'SubLog') continue
    if (event.subScriptEvent === CREATE) created.set(event.id, event.provider)
    if (event.subScriptEvent === CANCEL) cancelled.add(event.id)
  }
  return { created, cancelled }
}

function eventOf({ kind, subscription, account, provider, token }: EventSpec): LooseEvent {
  const id = pick(subscriptionIds, subscription)
  const by = pick(accounts, provider)
  if (kind === DETAILS) {
    return loose({ type: 'DetailsLog', id, provider: by, timestamp: 0, url: `${account}`, description: 'd' })
  }
  if (kind === PROFILE) {
    const texts = { description: `${account}`, company: 'c', url: '', domain: '', email: '', misc: '' }
    return loose({ type: 'ProvDetailsLog', provider: by, timestamp: 0, ...texts })
  }
  const isBetween = kind !== CREATE && kind !== CANCEL
  return subLog(kind, {
    id,
    provider: by,
    token: pick(tokens, token),
    ...(isBetween ? { subscriber: pick(accounts, account) } : {}),
  })
}

function pick<Item>(items: readonly Item[], index: number): Item {
  const item = items[index]
  if (item === undefined) throw new Error(`there is no item ${index}`)
  return item
}
