import { element } from './element.ts'
import type { Entry } from './entriesOf.ts'
import { momentWords, short } from './words.ts'

/** What happened to a subscriber, newest first, with what each took of the wallet. */
export function historyTable(entries: readonly Entry[]): HTMLElement {
  const titles = ['When', 'What', 'Taken from you'].map((text) => element('th', { scope: 'col' }, text))
  return element(
    'table',
    {},
    element('thead', {}, element('tr', {}, ...titles)),
    element('tbody', {}, ...entries.map(rowOf)),
  )
}

function rowOf({ at, what, taken, id, hash, finalized, isPayment }: Entry): HTMLElement {
  const where = element('small', { title: `${id}, in transaction ${hash}` }, `subscription ${short(id)}`)
  return element(
    'tr',
    { className: isPayment ? 'payment' : '' },
    element('td', {}, momentWords(at), finalized ? undefined : element('small', {}, 'not final yet')),
    element('td', {}, what, where),
    element('td', { className: 'number' }, taken ?? '–'),
  )
}
