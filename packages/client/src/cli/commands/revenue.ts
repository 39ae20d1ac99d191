import type { GetProviderRevenueAnswer } from '../../generated/api.ts'
import type { Command, Invocation } from '../Command.ts'
import { UsageError } from '../errors.ts'
import { barOf } from '../output/barChart.ts'
import type { Terminal } from '../output/Terminal.ts'
import { type Column, tableOf } from '../output/table.ts'
import { printBody, printHints } from './answer.ts'
import { isId, readAddress, readTarget } from './words.ts'

type TokenRevenue = GetProviderRevenueAnswer['tokens'][number]
type Interval = TokenRevenue['intervals'][number]

const INTERVALS = ['day', 'week', 'month'] as const
/** How many calendar months are shown where no day is named, the present one included. */
const MONTHS = 6
const DAY_MS = 86_400_000
const BAR_CELLS = 24

/** `remit revenue`: prints what came in by interval, with a chart for each token. */
export const revenue: Command = {
  name: 'revenue',
  summary: 'What a provider, or one of its subscriptions, earned by interval, with subscribers won and lost',
  operands: '<id|address>',
  options: {
    from: { type: 'string', value: '<YYYY-MM-DD>', help: `the first day, in UTC; else ${MONTHS} months` },
    to: { type: 'string', value: '<YYYY-MM-DD>', help: 'the day after the last one; else tomorrow' },
    interval: { type: 'string', value: '<which>', help: 'day, week or month; else month' },
    token: { type: 'string', value: '<address>', help: 'only payments in this token' },
  },
  notes:
    'EARNED is what came to the provider: of charges, and of the fee balances of those who left or were dropped.\nMRR is what the active subscribers pay per month, without fees. * marks an interval that is not over.',
  async run(invocation) {
    const { connection, flags, operands, signal, terminal, json } = invocation
    const target = readTarget('revenue', operands)
    const interval = readInterval(flags.text('interval'))
    const token = flags.text('token')
    const asked = {
      ...(await rangeOf(invocation)),
      interval,
      token: token === undefined ? undefined : readAddress('token', token),
    }
    const { client } = connection
    const answer = isId(target)
      ? await client.getSubscriptionRevenue({ id: target, ...asked }, { signal })
      : await client.getProviderRevenue({ address: target, ...asked }, { signal })
    if (json) {
      printBody(invocation)
      return undefined
    }
    const title = `From ${answer.from.date} to before ${answer.to.date}`
    terminal.out(answer.tokens.length === 0 ? `${title}: nothing.\n` : `${title}:\n`)
    for (const one of answer.tokens) terminal.out(`\n${chartOf(terminal, one)}`)
    printHints(invocation, answer)
    return undefined
  },
}

function chartOf(terminal: Terminal, { token, total, intervals }: TokenRevenue): string {
  const unit = token.symbol ?? token.address
  const [most = 0n] = intervals.map(({ arrived }) => arrived.amountRaw).sort((a, b) => (a > b ? -1 : 1))
  const columns: readonly Column<Interval>[] = [
    { heading: 'FROM', value: ({ from, complete }) => `${from.date}${complete ? '' : ' *'}` },
    { heading: `EARNED ${unit}`, value: ({ arrived }) => arrived.amount, align: 'right' },
    { heading: '', value: ({ arrived }) => barOf(arrived.amountRaw, most, BAR_CELLS) },
    { heading: 'PAID', value: ({ payments }) => String(payments), align: 'right' },
    { heading: 'FAILED', value: ({ failures }) => String(failures), align: 'right' },
    { heading: 'NEW', value: ({ subscribers }) => String(subscribers.new), align: 'right' },
    { heading: 'GONE', value: ({ subscribers }) => String(goneOf(subscribers)), align: 'right' },
    { heading: 'ACTIVE', value: ({ subscribers }) => String(subscribers.activeAtEnd), align: 'right' },
    { heading: 'MRR', value: ({ mrrAtEnd }) => mrrAtEnd.amount, align: 'right' },
  ]
  const sum = `${total.arrived.amount} ${unit} in ${total.payments} payments; callers kept ${total.keptByCallers.amount}, the protocol ${total.keptBySystem.amount}.`
  return `${tableOf(terminal, columns, intervals)}${sum}\n`
}

function goneOf({ left, removed, dropped, cancelled }: Interval['subscribers']): number {
  return left + removed + dropped + cancelled
}

/** The days that are named; else some months up to today, by the chain's clock. */
async function rangeOf({ connection, flags, signal }: Invocation): Promise<{ from: string; to: string }> {
  const [from, to] = [flags.text('from'), flags.text('to')]
  if (from !== undefined && to !== undefined) return { from, to }
  const { currentDay } = await connection.client.getProtocolState({}, { signal })
  const today = new Date(`${currentDay.date}T00:00:00Z`)
  const first = Date.UTC(today.getUTCFullYear(), today.getUTCMonth() - MONTHS + 1, 1)
  return { from: from ?? dateOf(first), to: to ?? dateOf(today.getTime() + DAY_MS) }
}

function dateOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10)
}

function readInterval(text: string | undefined): (typeof INTERVALS)[number] {
  if (text === undefined) return 'month'
  const found = INTERVALS.find((each) => each === text)
  if (found !== undefined) return found
  throw new UsageError(`--interval must be ${INTERVALS.join(', ')}, not "${text}".`)
}
