import { isDeepStrictEqual } from 'node:util'
import * as z from 'zod'
import type { TestAnswer, TestService } from '../../support/service/testService.ts'
import type { NamedDifference } from '../profiles/profiles.ts'
import { allowedTo } from './differences.ts'

/** How an operation answers on a kind of node, beside how it answers on a node that lacks nothing. */
export type Cell =
  | { readonly kind: 'same' }
  | { readonly kind: 'poorer'; readonly sentences: readonly Sentence[] }
  | { readonly kind: 'refused'; readonly sentences: readonly [Sentence] }
  | { readonly kind: 'wrong'; readonly what: string }

/** What the answer itself says of what it lacks, or, without a code, what the guide says of this kind of node. */
export interface Sentence {
  readonly code?: string
  readonly message: string
}

const Warned = z.looseObject({ warnings: z.array(z.looseObject({ code: z.string(), message: z.string() })) })
const Refusal = z.looseObject({ code: z.string(), error: z.string() })

/** An answer, and the service that gave it. */
export interface Given {
  readonly answer: TestAnswer
  readonly service: TestService
}

/**
 * @param plainly the answer over a node that lacks nothing
 * @param lately the answer over another kind of node
 * @param named what may differ on that kind without a word in the answer
 */
export function judge(plainly: Given, lately: Given, named: readonly NamedDifference[]): Cell {
  const [plain, seen] = [plainly.answer, lately.answer]
  const [expected, got] = [comparable(plainly), comparable(lately)]
  if (seen.status === plain.status && isDeepStrictEqual(got, expected)) return { kind: 'same' }
  if (seen.status >= 400) {
    const { data } = Refusal.safeParse(seen.body)
    if (data === undefined || seen.status === 500) return wrong(`${seen.status} ${JSON.stringify(got)}`)
    return { kind: 'refused', sentences: [{ code: data.code, message: data.error }] }
  }
  const explained = named.filter(({ keys }) => !isDeepStrictEqual(without(got, keys), got))
  const keys = explained.flatMap((each) => each.keys)
  if (isDeepStrictEqual(without(got, keys), without(expected, keys))) {
    return { kind: 'poorer', sentences: explained.map(({ sentence }) => ({ message: sentence })) }
  }
  const paths = differingPaths(expected, got)
  const told = paths.includes(TRIED.path) ? [{ message: TRIED.message }] : []
  const sentences: Sentence[] = [...newWarnings(plain.body, seen.body), ...told]
  const unexplained = paths.filter(
    (path) => path !== TRIED.path && !sentences.some(({ code = '' }) => allowedTo(code, path)),
  )
  if (sentences.length === 0) return wrong(`no word is said of ${paths.join(', ')}`)
  if (unexplained.length > 0) return wrong(`${unexplained.join(', ')} differ, and no warning is about that`)
  return { kind: 'poorer', sentences }
}

/** The field of outlooks that says itself how far remit could be tried. */
const TRIED = { path: 'remit.seen', message: '`remit.seen` says that less of remit was tried, or nothing.' }

const wrong = (what: string): Cell => ({ kind: 'wrong', what })

const Body = z.record(z.string(), z.unknown())

/**
 * A body without what no two answers share: its request, its service's URL, and what a proof has from the second that
 * it is dated with, which are the times in its events and the id of what it creates.
 */
function comparable({ answer, service }: Given): Record<string, unknown> {
  const { requestId: _, ...rest } = answer.body
  // A cursor names its block's hash until the block is final.
  const bare = JSON.stringify(rest, (key, value: unknown) => (key === 'cursor' ? undefined : value))
  const text = bare.replaceAll(service.url, '').replaceAll(new URL(service.url).host, '')
  const body = Body.parse(JSON.parse(text))
  if (!('simulation' in body)) return body
  const proof = JSON.stringify(body.simulation)
  const dated = proof.replace(/"timestamp":"?\d+"?/g, '"timestamp":0').replace(CREATED, '$1"created"')
  return { ...body, simulation: JSON.parse(dated) }
}

const CREATED = /("event":"(?:SubLog|DetailsLog)"[^}]*?"id":)"0x[0-9a-f]{64}"/g

/** The same without these keys, however deep they are. */
function without(body: unknown, keys: readonly string[]): unknown {
  return JSON.parse(JSON.stringify(body, (key, value: unknown) => (keys.includes(key) ? undefined : value)))
}

function newWarnings(plain: unknown, seen: unknown): Sentence[] {
  const [known, said] = [plain, seen].map((body) => Warned.safeParse(body).data?.warnings ?? [])
  return (said ?? [])
    .filter(({ code, message }) => !known?.some((one) => one.code === code && one.message === message))
    .map(({ code, message }) => ({ code, message }))
}

/** The paths of at most two steps at which two bodies differ; places in a list are not told apart. */
export function differingPaths(one: unknown, other: unknown, depth = 2): string[] {
  if (isDeepStrictEqual(one, other)) return []
  if (depth === 0 || !isRecord(one) || !isRecord(other)) return ['']
  const keys = [...new Set([...Object.keys(one), ...Object.keys(other)])]
  return keys.flatMap((key) =>
    differingPaths(one[key], other[key], depth - 1).map((rest) => (rest === '' ? key : `${key}.${rest}`)),
  )
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
