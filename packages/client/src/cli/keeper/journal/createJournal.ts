import { plainText } from '../../output/plainText.ts'
import type { Terminal } from '../../output/Terminal.ts'
import type { Fact, Journal, KeeperClock } from '../ports/ports.ts'

/** A journal on standard output: lines for people, or with `json` one JSON document per line. */
export function createJournal(
  terminal: Pick<Terminal, 'out'>,
  clock: Pick<KeeperClock, 'now'>,
  json: boolean,
): Journal {
  return {
    tell(event, message, facts = {}) {
      const time = new Date(clock.now()).toISOString()
      const plain = plainText(message)
      if (!json) terminal.out(`${time.slice(0, 19)}Z ${event.padEnd(14)} ${plain}\n`)
      else terminal.out(`${JSON.stringify({ time, event, message: plain, ...facts }, wireFact)}\n`)
    },
  }
}

/** Amounts are decimal texts, as everywhere on the wire. Untrusted text is made safe. */
function wireFact(_name: string, value: Fact): Fact {
  if (typeof value === 'bigint') return value.toString()
  return typeof value === 'string' ? plainText(value) : value
}
