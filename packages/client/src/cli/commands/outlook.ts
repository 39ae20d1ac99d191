import { formatUnits, getAddress } from 'viem'
import type { GetAccountOutlookAnswer } from '../../generated/api.ts'
import type { Command, Invocation } from '../Command.ts'
import { UsageError } from '../errors.ts'
import { type Bar, barChartOf } from '../output/barChart.ts'
import { type Column, tableOf } from '../output/table.ts'
import { blockText, moreLine, printBody, printHints } from './answer.ts'
import { amountOf, isAddress } from './words.ts'

type Charge = GetAccountOutlookAnswer['charges'][number]
type HeldToken = GetAccountOutlookAnswer['wallet']['tokens'][number]

/** As far ahead as the service looks. */
const MOST_DAYS = 366
/** As many as the service gives in one answer. */
const MOST_ROWS = 500
const DAYS_OF_A_WEEK = 7

function columnsOf(tokens: readonly HeldToken[]): readonly Column<Charge>[] {
  const known = new Map(tokens.map(({ token }) => [getAddress(token.address), token]))
  const amount = ({ amount, token: address }: Charge) =>
    amountOf(amount, known.get(getAddress(address)) ?? { address, symbol: null })
  return [
    { heading: 'DAY', value: ({ day }) => day.date },
    { heading: 'SUBSCRIPTION', value: ({ subscriptionId }) => subscriptionId, shrinks: 'hex' },
    { heading: 'AMOUNT', value: amount, align: 'right' },
    { heading: 'VERDICT', value: verdictOf },
  ]
}

/** `remit outlook`: prints every charge of a wallet to come, and what each of its tokens lacks. */
export const outlook: Command = {
  name: 'outlook',
  summary: 'Every charge of a wallet to come: what pays, what fails and why, and what to add',
  operands: '<address>',
  options: {
    days: { type: 'string', value: '<n>', help: 'how many days ahead: 90 by default, 366 at most' },
  },
  notes:
    'Balances and allowances are today’s: money still to come in is not counted. █ is paid, ░ fails or waits, week by ' +
    'week from Monday on.',
  async run(invocation) {
    const { connection, flags, operands, signal, terminal, json } = invocation
    const [address = '', surplus] = operands
    if (!isAddress(address) || surplus !== undefined)
      throw new UsageError('outlook takes one address: 0x and 40 hex digits.')
    const asked = { address, first: MOST_ROWS, days: flags.whole('days', { min: 1, max: MOST_DAYS }) }
    const answer = await connection.client.getAccountOutlook(asked, { signal })
    if (json) {
      printBody(invocation)
      return undefined
    }
    const { account, through, charges, counts, wallet, asOf } = answer
    terminal.out(`${account} until ${through.date}, at ${blockText(asOf)}\n\n`)
    if (charges.length === 0) terminal.out('Nothing is charged until then.\n')
    else {
      terminal.out(tableOf(terminal, columnsOf(wallet.tokens), charges))
      terminal.out(moreLine(answer.hasMore, charges.length, 'charges', 'ask for fewer --days'))
      const { pays, fails, waits, skipped } = counts
      terminal.out(`\n${pays} pay, ${fails} fail, ${waits} wait, ${skipped} are skipped.\n`)
    }
    for (const token of wallet.tokens) terminal.out(`\n${tokenText(invocation, token, charges)}`)
    sayHowFarRemitIsSeen(invocation, answer)
    printHints(invocation, answer)
    return undefined
  },
}

/** "pays", "fails by allowance", "waits: transfer" */
function verdictOf({ verdict, failsBy, blockedBy, skippedBecause }: Charge): string {
  if (failsBy !== null) return `${verdict} by ${failsBy}`
  const why = blockedBy ?? skippedBecause
  return why === null ? verdict : `${verdict}: ${why}`
}

/** What is held of a token, what is missing, and the charges in it week by week. */
function tokenText({ terminal }: Invocation, held: HeldToken, charges: readonly Charge[]): string {
  const { token, balance, allowance, firstFailure, toAdd, toAddIs } = held
  const atLeast = toAddIs === 'atLeast' ? ' at least' : ''
  const add = `${toAdd.balance.amount} to the balance, ${toAdd.allowance.amount} to the allowance${atLeast}`
  const lasts =
    firstFailure === null
      ? 'Every charge pays.'
      : `Fails first on ${firstFailure.day.date}. To pay all, add ${add}.`
  const name = token.symbol ?? token.address
  const head = `${name}: balance ${balance.amount}, allowance ${allowance.amount}. ${lasts}\n`
  const own = charges.filter((charge) => getAddress(charge.token) === getAddress(token.address))
  return `${head}${barChartOf(terminal, weeksOf(own, held))}`
}

/** The charges of a token as one bar for each week: what is paid, and what is not. */
function weeksOf(charges: readonly Charge[], { token }: HeldToken): Bar[] {
  const weeks = new Map<string, { paid: bigint; unpaid: bigint }>()
  for (const { day, taken, amountRaw, verdict } of charges) {
    const monday = mondayOf(day.dayNumber)
    const week = weeks.get(monday) ?? { paid: 0n, unpaid: 0n }
    weeks.set(monday, week)
    if (verdict === 'pays') week.paid += taken.amountRaw
    if (verdict === 'fails' || verdict === 'waits') week.unpaid += amountRaw
  }
  const inWords = (raw: bigint) => amountOf(formatUnits(raw, token.decimals), token)
  return [...weeks].map(([label, { paid, unpaid }]) => ({
    label,
    parts: [
      { value: paid, kind: 'full' },
      { value: unpaid, kind: 'light' },
    ],
    text: unpaid === 0n ? inWords(paid) : `${inWords(paid)}, ${inWords(unpaid)} not paid`,
  }))
}

function mondayOf(dayNumber: number): string {
  // Day 0 was a Thursday.
  const monday = dayNumber - ((dayNumber + 3) % DAYS_OF_A_WEEK)
  return new Date(monday * 86_400_000).toISOString().slice(0, 10)
}

/** Says on standard error how far remit was seen, and what stops it. */
function sayHowFarRemitIsSeen({ terminal }: Invocation, { remit, through }: GetAccountOutlookAnswer): void {
  const { seen, stop } = remit
  if (stop !== null) {
    terminal.err(`From ${stop.day.date} on remit itself fails, and nobody is charged:\n`)
    for (const { message } of stop.issues) terminal.err(`  ${message}\n`)
    return
  }
  if (seen.through?.dayNumber === through.dayNumber) return
  const until = seen.through === null ? 'not at all' : `up to ${seen.through.date}`
  terminal.err(
    `Remit was tried ${until}. Behind that, what other wallets do to it is not known; this wallet’s own charges are.\n`,
  )
}
