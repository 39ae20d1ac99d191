/** What the commands of `remit` print alike of an answer: its JSON, its hints, its block, and whether a list goes on. */

import type { AsOf, IndexPosition, Warning } from '../../generated/api.ts'
import type { Invocation } from '../Command.ts'
import { plainJson } from '../output/plainText.ts'
import { styled } from '../output/Terminal.ts'
import { timeOf } from './words.ts'

/** Prints the last answer (`connection.lastBody`) as one JSON document, as the service gave it. */
export function printBody({ terminal, connection }: Invocation): void {
  terminal.out(`${plainJson(connection.lastBody())}\n`)
}

/** The hints that come with an answer. */
interface Hints {
  readonly warnings?: readonly Warning[]
  /** Why the answer is incomplete. */
  readonly error?: string
  readonly index?: IndexPosition | null
}

/** Prints the hints to standard error, so that standard output holds only the answer. */
export function printHints(
  { terminal }: Pick<Invocation, 'terminal'>,
  { warnings = [], error, index }: Hints,
): void {
  const say = (sentence: string) => terminal.err(`${styled(terminal, 'yellow', sentence)}\n`)
  for (const { message } of warnings) say(`Note: ${message}`)
  if (error !== undefined) say(`Incomplete: ${error}`)
  else if (index !== undefined && index !== null && !index.synced) {
    say(`The index is ${index.lagSeconds} s behind the chain: the newest rows may be missing.`)
  }
}

/** The block that an answer was read at, with its time. */
export function blockText({ blockNumber, timestamp }: AsOf): string {
  return `block ${blockNumber}, ${timeOf(new Date(timestamp * 1000))}`
}

/**
 * The line under a page of a list that says whether there is more.
 * @param advice how to see the rest
 */
export function moreLine(
  hasMore: boolean,
  count: number,
  noun: string,
  advice = '--all shows them all',
): string {
  return hasMore ? `\n${count} ${noun} shown, and there are more: ${advice}.\n` : ''
}
