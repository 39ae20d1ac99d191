import type { GetStatusAnswer } from '@remit/client'
import { durationWords } from '../../words/time.ts'

type Chain = GetStatusAnswer['chains'][number]

/** One part of the service, in words. */
export interface PartRow {
  readonly name: string
  readonly kind: 'good' | 'mind' | 'bad'
  readonly state: string
  readonly words: string
  /** How much is read, where that takes a while. */
  readonly percent?: number
}

const NUMBER = new Intl.NumberFormat('en')

/** The chain's nodes and its newest block. */
export function nodeRow({ rpc, misconfigured }: Chain): PartRow {
  const name = 'Chain'
  if (misconfigured !== null) return { name, kind: 'bad', state: 'Not served', words: misconfigured }
  if (!rpc.ok || rpc.blockNumber === null) {
    return {
      name,
      kind: 'bad',
      state: 'Does not answer',
      words: 'No node of the chain answers at the moment.',
    }
  }
  const age = rpc.headAgeSeconds === null ? '' : `, ${durationWords(rpc.headAgeSeconds)} old`
  const speed =
    rpc.latencyMs === null ? '' : ` Its node answers in ${Math.max(1, Math.round(rpc.latencyMs))} ms.`
  const words = `The newest block is ${NUMBER.format(rpc.blockNumber)}${age}.${speed}`
  return rpc.alarm === null
    ? { name, kind: 'good', state: 'Answers', words }
    : { name, kind: 'bad', state: 'Stands still', words: `${rpc.alarm} ${words}` }
}

/** Search and history: no row where the service keeps none for the chain. */
export function indexRow({ index }: Chain): PartRow[] {
  if (index === null) return []
  const name = 'Search and history'
  const { alarm, ok, backfill, blockNumber, lagSeconds, synced } = index
  const at = blockNumber === null ? 'Nothing is read yet.' : `Read up to block ${NUMBER.format(blockNumber)}.`
  if (alarm !== null || !ok) {
    const words = `${alarm ?? 'It cannot be read, or is not kept up to date.'} ${at}`
    return [{ name, kind: 'bad', state: 'Behind', words }]
  }
  if (backfill !== null) {
    const { percent, secondsLeft } = backfill
    const left = secondsLeft === null ? '' : ` About ${durationWords(secondsLeft)} are left.`
    const words = `The chain’s past is being read: ${Math.floor(percent)} %.${left}`
    return [{ name, kind: 'mind', state: 'Reads the past', words, percent }]
  }
  if (synced) return [{ name, kind: 'good', state: 'Up to date', words: at }]
  const behind = lagSeconds === null ? '' : ` That is ${durationWords(lagSeconds)} behind the newest block.`
  return [{ name, kind: 'mind', state: 'Catches up', words: `${at}${behind}` }]
}

/** The deliveries to webhooks. */
export function deliveryRow({ webhooks }: GetStatusAnswer): PartRow {
  const name = 'Webhooks'
  if (webhooks === null) {
    return {
      name,
      kind: 'good',
      state: 'Switched off',
      words: 'This service tells no other servers what happens.',
    }
  }
  const { active, failing, paused, waiting, behindSeconds, alarm } = webhooks
  const counts = [
    `${NUMBER.format(active)} active`,
    ...(failing > 0 ? [`${NUMBER.format(failing)} of them did not take the last delivery`] : []),
    ...(paused > 0 ? [`${NUMBER.format(paused)} paused`] : []),
    waiting === 0 ? 'nothing waits to be sent' : `${NUMBER.format(waiting)} deliveries wait`,
  ].join(', ')
  const late = behindSeconds > 0 ? ` The oldest has waited for ${durationWords(behindSeconds)}.` : ''
  return alarm === null
    ? { name, kind: 'good', state: 'Delivers', words: `${counts}.${late}` }
    : { name, kind: 'bad', state: 'Behind', words: `${alarm} ${counts}.` }
}
