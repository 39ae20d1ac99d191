import { signal } from '@preact/signals'
import { pageData } from '../page/pageData.ts'
import { recall, remember } from '../page/stored.ts'

// What this browser has seen signed for somebody else to carry, as rows of whole numbers. No signature is kept: only its link has it.

/** What was signed, whose it is (of a gift: for whom), and in which token. */
export interface SeenOf {
  readonly kind: 'permission' | 'gift'
  readonly account: string
  readonly token: string
}

/** Changes when something is signed, so that what reads `seenRows` is drawn again. */
const signings = signal(0)

function keyOf({ kind, account, token }: SeenOf): string {
  return `remit:signed-${kind}:${pageData.chain?.chainId}:${account}:${token}`.toLowerCase()
}

/** The rows that were kept last. */
export function seenRows(of: SeenOf): readonly (readonly bigint[])[] {
  const known = signings.value >= 0 ? recall(keyOf(of)) : undefined
  const written = (known ?? '').split(',').filter((row) => /^\d+( \d+)*$/.test(row))
  return written.map((row) => row.split(' ').map(BigInt))
}

export function keepRows(of: SeenOf, rows: readonly (readonly bigint[])[]): void {
  remember(keyOf(of), rows.map((row) => row.join(' ')).join(','))
  signings.value += 1
}
