import type { Bucket, Lane, Metering } from './lanes.ts'

/**
 * Who may use a route, and which of their credentials count. Whoever shows none that counts is on the free lane, by network
 * address. The session of a signed-in wallet counts only where it is named here: it is no credential of the API.
 */
export type Audience =
  /** Everybody, with or without a key. */
  | 'callers'
  /** Callers who ask for something to sign. On a page of the service a signed-in wallet has a developer's limits. */
  | 'signers'
  /** Whoever has a session is known by it; everybody else is a caller. */
  | 'visitors'
  /** Whoever has a key or a session is known by it, whatever the portal is open for; everybody else is a caller. */
  | 'wallets'
  /** Those with a key or a session, about what is their own. */
  | 'developers'
  /** Those with the admin secret; with a session instead, about their own keys. */
  | 'operators'
  /** Those who sign in: their network address pays, whatever key or session they have already. */
  | 'newcomers'
  /** Callers of a request that goes on, whose Basic Auth was checked when it began. */
  | 'entered'
  /** Everybody, without a look at any credentials: what tells how the service is must ask no store. */
  | 'anyone'
  /** As `anyone`, behind Basic Auth where that is on. */
  | 'guests'

/** Who may make a call, what it costs, and who has it as a tool. */
export interface Access {
  readonly audience: Audience
  readonly metering: Metering
  /** What a call over REST takes beside the totals. */
  readonly buckets: readonly Bucket[]
  /** What a call of the tool takes beside them. */
  readonly toolBuckets: readonly Bucket[]
  /** What a call costs in addition where its input has this, and neither 0 nor false. */
  readonly addedBuckets: Readonly<Partial<Record<'wait' | 'proof', readonly Bucket[]>>>
  readonly tools: 'everybody' | 'keys' | 'nobody'
  /** Whether it is answered while the API is switched off. */
  readonly whileDisabled: boolean
  /** Whether pages of every origin may read it. Only for answers that are the same for everybody. */
  readonly crossOrigin: boolean
  /** Whether it is about something that belongs to a wallet. */
  readonly isOwn: boolean
  /** Whether caches must not keep its answers. */
  readonly isSecret: boolean
  /** What the input may hold on a lane. */
  readonly caps?: Readonly<Record<Lane, LaneCaps>>
}

/** What a search may ask for on a lane. */
interface LaneCaps {
  /** The most rows of one page. */
  readonly first: number
  /** Whether rows may come with their details. */
  readonly includeDetails: boolean
}

const read: Access = {
  audience: 'callers',
  metering: 'metered',
  buckets: [],
  toolBuckets: [],
  addedBuckets: {},
  tools: 'everybody',
  whileDisabled: false,
  crossOrigin: false,
  isOwn: false,
  isSecret: false,
}
const expensive: Access = { ...read, buckets: ['expensive'], toolBuckets: ['expensive'] }
const write: Access = { ...read, audience: 'signers', buckets: ['write'], toolBuckets: ['write'] }
const free: Access = { ...read, audience: 'anyone', metering: 'counted', tools: 'nobody' }
const ofSession: Access = { ...read, audience: 'visitors', tools: 'nobody', isSecret: true }
const ofWallet: Access = { ...read, audience: 'wallets', tools: 'nobody', isSecret: true }
const webhook: Access = { ...read, audience: 'developers', tools: 'keys', isOwn: true }

/**
 * What a call costs and who may make it. An operation names its row in `access`. What the totals and buckets are is in
 * `lanes.ts`.
 */
export const ACCESS = {
  read,
  /** What asks much of the index, or of a node. */
  expensive,
  /** A search, whose input is bounded by lane. */
  search: {
    ...expensive,
    caps: { free: { first: 10, includeDetails: false }, developer: { first: 25, includeDetails: true } },
  },
  /** A list of events: a long poll is expensive, and the tool is for keys. */
  events: { ...read, addedBuckets: { wait: ['expensive'] }, tools: 'keys' },
  /** A read whose proof is expensive. */
  provable: { ...read, addedBuckets: { proof: ['expensive'] } },
  /** A prepare, and a check before it. */
  write,
  /** A prepare of what somebody has signed. A URL is written to logs, so a signature is only posted. */
  signed: { ...write, isSecret: true },
  /** A check whose tool costs as much as a prepare, because agents call it again and again. */
  agentsWrite: { ...read, toolBuckets: ['write'] },
  /** Routes and limits, which callers need to know why they are refused. */
  catalog: { ...read, tools: 'nobody', whileDisabled: true },
  /** The health of the service. */
  health: { ...free, whileDisabled: true },
  /** The front door, behind Basic Auth where that is on. */
  front: { ...free, audience: 'guests', whileDisabled: true },
  /** What pages of every origin may read. */
  published: { ...free, crossOrigin: true },
  /** Operators manage everybody's keys, and sessions their own. */
  keys: { ...ofSession, audience: 'operators', isOwn: true },
  webhook,
  webhookWrite: { ...webhook, buckets: ['write'], toolBuckets: ['write'] },
  session: ofSession,
  /** Signing in: the network address pays, whatever key or session the request comes with. */
  signIn: { ...ofSession, audience: 'newcomers' },
  /** What a session gets for its wallet. */
  pass: { ...ofSession, isOwn: true },
  /** Handing in what a wallet has signed. The signature says whose it is. */
  rescueOffer: { ...ofWallet, buckets: ['write'] },
  /** What members have handed in, as their provider, they and the public see it. */
  rescueList: { ...ofWallet, buckets: ['expensive'] },
  /** A wallet's own. */
  rescue: { ...ofWallet, isOwn: true },
} as const satisfies Readonly<Record<string, Access>>

export type AccessName = keyof typeof ACCESS
