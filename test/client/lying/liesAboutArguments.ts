import { Subscriptions } from '@remit/contracts/Subscriptions'
import { type Abi, decodeFunctionData, encodeFunctionData, type Hex } from 'viem'
import { type Lie, lie, NO_CREATION, NO_SUBSCRIBER, NO_TERMS, NO_TEXT, NOT_PREPARED } from './Lie.ts'
import type { Attacker } from './lies.ts'
import { at, type Batch } from './Wire.ts'

const abi: Abi = Subscriptions.abi

/** About which subscription, on which terms, with which words. */
export function liesAboutArguments(attacker: Attacker): Lie[] {
  const { otherSubscription: other, account, otherToken } = attacker
  return [
    lie('is about another subscription', (batch) => inTerms(batch, (terms) => ({ ...terms, ...other }))),
    lie(
      'is what was prepared for another subscription',
      async (_, truth) => (await truth.other({ id: other.id })) ?? NOT_PREPARED,
    ),
    lie('has another id in the terms', (batch) => inTerms(batch, (terms) => ({ ...terms, id: other.id }))),
    lie('has another amount in the terms', (batch) => inTerms(batch, (terms) => ({ ...terms, amount: 1n }))),
    lie('has the attacker as the provider', (batch) =>
      inTerms(batch, (terms) => ({ ...terms, provider: account })),
    ),
    lie('has another token in the terms', (batch) =>
      inTerms(batch, (terms) => ({ ...terms, token: otherToken })),
    ),
    lie('has another frequency in the terms', (batch) =>
      inTerms(batch, (terms) => ({ ...terms, frequency: 3 })),
    ),
    lie('has another due day in the terms', (batch) => inTerms(batch, (terms) => ({ ...terms, dueDay: 5 }))),
    lie('has terms that are cancelled', (batch) =>
      inTerms(batch, (terms) => ({ ...terms, cancelled: true })),
    ),
    lie('calls cancelSubscription with the terms', (batch) =>
      inTerms(batch, (terms) => terms, 'cancelSubscription'),
    ),
    lie('calls unsubscribe with the terms', (batch) => inTerms(batch, (terms) => terms, 'unsubscribe')),
    lie('removes somebody else', (batch) =>
      replaced(
        batch,
        NO_SUBSCRIBER,
        (value) => (isAddress(value) ? account : undefined),
        'unsubscribeByProvider',
      ),
    ),
    lie('creates at a tenth of the price', (batch) =>
      replaced(
        batch,
        NO_CREATION,
        (value) => (typeof value === 'bigint' ? value / 10n : undefined),
        'createSubscription',
      ),
    ),
    lie('creates in the token’s own units', (batch) =>
      replaced(
        batch,
        NO_CREATION,
        (value) => (typeof value === 'bigint' ? value / 10n ** 12n : undefined),
        'createSubscription',
      ),
    ),
    lie('creates in another token', (batch) =>
      replaced(
        batch,
        NO_CREATION,
        (value) => (isAddress(value) ? otherToken : undefined),
        'createSubscription',
      ),
    ),
    lie('creates for another frequency', (batch) =>
      replaced(batch, NO_CREATION, (value) => (value === 2 ? 3 : undefined), 'createSubscription'),
    ),
    lie('creates for another day', (batch) =>
      replaced(batch, NO_CREATION, (value) => (value === 90 ? 1 : undefined), 'createSubscription'),
    ),
    lie('writes other words', (batch) => replaced(batch, NO_TEXT, otherWords)),
    lie('writes another link', (batch) =>
      replaced(batch, NO_TEXT, (value) =>
        otherRecord(value, (text) => text.replace('https://', 'https://attacker.')),
      ),
    ),
    lie('writes about another subscription', (batch) =>
      replaced(
        batch,
        'it writes about no subscription',
        (value) => (isId(value) ? other.id : undefined),
        'editDetails',
      ),
    ),
  ]
}

/** Changes the subscription that the last call takes. */
function inTerms(
  batch: Batch,
  change: (terms: Record<string, unknown>) => Record<string, unknown>,
  functionName?: string,
): Batch | string {
  const isTerms = (value: unknown) => isRecord(value) && 'dueDay' in value
  const called = decode(batch)
  if (called === undefined || !called.args.some(isTerms)) return NO_TERMS
  if (called.functionName === functionName) return 'it is what was asked for'
  const args = called.args.flatMap((value) => (isRecord(value) && isTerms(value) ? [change(value)] : [value]))
  const name = functionName ?? called.functionName
  const taken = name === 'unsubscribeByProvider' ? args : args.slice(0, 1)
  const data = encodeFunctionData({ abi, functionName: name, args: taken })
  if (data === batch.unsignedTransactions.at(-1)?.data) return 'its terms are these'
  return at(batch, -1, () => ({ data }))
}

/** Changes the first argument of the last call that is meant. */
function replaced(
  batch: Batch,
  without: string,
  change: (value: unknown) => unknown,
  functionName?: string,
): Batch | string {
  const called = decode(batch)
  if (called === undefined) return without
  if (functionName !== undefined && called.functionName !== functionName) return without
  const place = called.args.findIndex((value) => change(value) !== undefined)
  if (place < 0) return without
  const args = called.args.map((value, index) => (index === place ? change(value) : value))
  const data: Hex = encodeFunctionData({ abi, functionName: called.functionName, args })
  return at(batch, -1, () => ({ data }))
}

function decode({
  unsignedTransactions,
}: Batch): { functionName: string; args: readonly unknown[] } | undefined {
  try {
    const { functionName, args = [] } = decodeFunctionData({
      abi,
      data: unsignedTransactions.at(-1)?.data ?? '0x',
    })
    return { functionName, args }
  } catch {
    return undefined
  }
}

function otherWords(value: unknown): unknown {
  return otherRecord(value, (text) => (text.startsWith('https://') ? text : `${text}.`))
}

/** Texts come as the fields of one record; `undefined` where none of them changes. */
function otherRecord(value: unknown, change: (text: string) => string): unknown {
  if (!isRecord(value) || 'dueDay' in value) return undefined
  const entries = Object.entries(value).map(([name, text]) => [name, change(String(text))])
  const changed = Object.fromEntries(entries)
  return JSON.stringify(changed) === JSON.stringify(value) ? undefined : changed
}

const isAddress = (value: unknown) => typeof value === 'string' && /^0x[0-9a-fA-F]{40}$/.test(value)
const isId = (value: unknown) => typeof value === 'string' && /^0x[0-9a-f]{64}$/.test(value)

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}
