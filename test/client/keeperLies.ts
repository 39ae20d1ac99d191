import type { Address } from 'viem'
import * as z from 'zod'
import { Answer, type Lie } from './faultyService.ts'

/** What a lie may cost, from nothing on, in the words of the table in docs/command-line.md. */
export const COSTS = {
  nothing: 'nothing: it does as with the truth',
  notStarted: 'nothing: it does not start',
  ended: 'nothing: it ends and says why',
  missed: 'the fees that it could have earned meanwhile',
  oneCall: 'one call’s `--max-fee`; then it ignores the forecasts',
} as const

export type Cost = keyof typeof COSTS

/** A lie, and what it costs a keeper whose node has eth_simulateV1, and one that uses --trust-forecast without it. */
export interface ToldLie {
  readonly name: string
  readonly lie: Lie
  readonly simulating: Cost
  readonly trusting: Cost
}

const STRANGER: Address = '0x15d34AAf54267DB7D7c367839AAf71A00a2C6A65'
const MANY = 1_000_000n

const Token = z.looseObject({ address: z.string(), symbol: z.string().nullable(), decimals: z.number() })
const Change = z.looseObject({ account: z.string(), token: Token, amountRaw: z.string() })
const Gas = z.looseObject({
  gasLimit: z.string(),
  maxFeePerGas: z.string(),
  maxPriorityFeePerGas: z.string(),
})
const Transaction = z.looseObject({ from: z.string(), data: z.string() })
const Prepared = z.looseObject({
  chainId: z.number(),
  unsignedTransactions: z.array(Transaction).min(1),
  simulation: z.looseObject({ balanceChanges: z.array(Change) }),
  gasEstimates: z.array(Gas).min(1),
  gasSummary: z.looseObject({ totalEstimatedCostWei: z.string() }),
  preflight: z.looseObject({ expectedTransactions: z.number() }),
})
type Prepared = z.output<typeof Prepared>
const State = z.looseObject({
  chainId: z.number(),
  contractAddress: z.string(),
  nextUncheckedDay: z.looseObject({ dayNumber: z.number() }),
  currentDay: z.looseObject({ dayNumber: z.number() }),
})

const times = (amount: string, factor: bigint) => (BigInt(amount) * factor).toString()
const ok = (body: Answer) => ({ status: 200, body })

const inPrepared =
  (change: (prepared: Prepared) => void): Lie =>
  (path, answer) => {
    if (!path.includes('/prepare/remit') || answer.error !== undefined) return undefined
    const prepared = Prepared.parse(answer)
    change(prepared)
    return ok(prepared)
  }

const inState =
  (change: (state: z.output<typeof State>) => void): Lie =>
  (path, answer) => {
    if (!path.includes('/protocol/state')) return undefined
    const state = State.parse(answer)
    change(state)
    return ok(state)
  }

const inTransaction = (change: (transaction: z.output<typeof Transaction>) => void) =>
  inPrepared(({ unsignedTransactions }) => unsignedTransactions.forEach(change))

const inTokens =
  (change: (tokens: z.output<typeof Token>[]) => void): Lie =>
  (path, answer) => {
    if (!path.includes('/approved-tokens')) return undefined
    const listed = z.looseObject({ tokens: z.array(Token) }).parse(answer)
    change(listed.tokens)
    return ok(listed)
  }

const refuse =
  (status: number, body: Answer): Lie =>
  (path) =>
    path.includes('/prepare/remit') ? { status, body: { requestId: 'req_lie', ...body } } : undefined

function setAll(all: readonly object[], values: object): void {
  for (const one of all) Object.assign(one, values)
}

function multiplyGains({ simulation }: Prepared): void {
  for (const change of simulation.balanceChanges) change.amountRaw = times(change.amountRaw, MANY)
}

function multiplyGas({ gasEstimates, gasSummary }: Prepared, factor: bigint): void {
  for (const gas of gasEstimates) gas.gasLimit = times(gas.gasLimit, factor)
  gasSummary.totalEstimatedCostWei = times(gasSummary.totalEstimatedCostWei, factor)
}

function multiplyFees({ gasEstimates }: Prepared, factor: bigint): void {
  for (const gas of gasEstimates) {
    gas.maxFeePerGas = times(gas.maxFeePerGas, factor)
    gas.maxPriorityFeePerGas = gas.maxFeePerGas
  }
}

/** Gains, gas and fees multiplied: the service that once made a keeper pay 20 ETH for three remits. */
export const multiplied = inPrepared((prepared) => {
  multiplyGains(prepared)
  multiplyGas(prepared, 10n)
  multiplyFees(prepared, 30_000n)
  prepared.gasSummary.totalEstimatedCostWei = '1'
})

/** The state is always behind, and what was prepared once is prepared again and again. */
function endlessBacklog(): Lie {
  let prepared: Answer | undefined
  const behind = inState(({ nextUncheckedDay, currentDay }) => {
    nextUncheckedDay.dayNumber = currentDay.dayNumber - 100
  })
  return (path, answer) => {
    if (!path.includes('/prepare/remit')) return behind(path, answer)
    if (answer.error === undefined) prepared = answer
    return prepared && ok(prepared)
  }
}

const same = { simulating: 'nothing', trusting: 'nothing' } as const
const ends = { simulating: 'ended', trusting: 'ended' } as const
const refused = { simulating: 'notStarted', trusting: 'notStarted' } as const
const missed = { simulating: 'missed', trusting: 'missed' } as const
const gain = { simulating: 'nothing', trusting: 'oneCall' } as const

/** @param dai a token that has a price, and that no remit of the test pays */
export const liesOn = (dai: Address): readonly ToldLie[] => [
  { name: 'gains a million times as high', lie: inPrepared(multiplyGains), ...gain },
  {
    name: 'a gain in a token that it does not pay',
    lie: inPrepared(({ simulation, unsignedTransactions: [sent] }) => {
      const [change] = simulation.balanceChanges
      if (change === undefined || sent === undefined) return
      const token = { ...change.token, address: dai, symbol: 'DAI', decimals: 18 }
      simulation.balanceChanges.push({
        ...change,
        token,
        account: sent.from,
        amountRaw: `1${'0'.repeat(20)}`,
      })
    }),
    ...gain,
  },
  {
    name: 'no gain',
    lie: inPrepared(({ simulation }) => void simulation.balanceChanges.splice(0)),
    simulating: 'nothing',
    trusting: 'missed',
  },
  {
    name: 'a gas limit ten times as high',
    lie: inPrepared((prepared) => multiplyGas(prepared, 10n)),
    ...same,
  },
  {
    name: 'a gas limit too low to succeed',
    lie: inPrepared(({ gasEstimates }) => setAll(gasEstimates, { gasLimit: '21000' })),
    ...same,
  },
  {
    name: 'fees 30,000 times as high',
    lie: inPrepared((prepared) => multiplyFees(prepared, 30_000n)),
    ...same,
  },
  {
    name: 'fees of 0, with which nobody mines it',
    lie: inPrepared((prepared) => multiplyFees(prepared, 0n)),
    ...same,
  },
  {
    name: 'an L1 data fee of 1 ETH',
    lie: inPrepared(({ gasEstimates }) => setAll(gasEstimates, { l1DataFeeWei: (10n ** 18n).toString() })),
    ...same,
  },
  { name: 'gains, gas and fees multiplied together', lie: multiplied, ...gain },
  {
    name: 'other decimals of a token',
    lie: (...told) =>
      inPrepared(({ simulation }) =>
        setAll(
          simulation.balanceChanges.map(({ token }) => token),
          { decimals: 0 },
        ),
      )(...told) ?? inTokens((tokens) => setAll(tokens, { decimals: 0 }))(...told),
    ...same,
  },
  {
    name: 'the symbol of one token at the address of another',
    lie: inTokens(([one, other]) => {
      if (one === undefined || other === undefined) return
      const { symbol } = one
      one.symbol = other.symbol
      other.symbol = symbol
    }),
    ...same,
  },
  { name: 'no approved token', lie: inTokens((tokens) => void tokens.splice(0)), ...refused },
  {
    name: 'another chain, in the state',
    lie: inState((state) => Object.assign(state, { chainId: 1 })),
    ...refused,
  },
  {
    name: 'another contract, in the state',
    lie: inState((state) => Object.assign(state, { contractAddress: STRANGER })),
    ...refused,
  },
  {
    name: 'another chain, in what it prepares',
    lie: inPrepared((prepared) => Object.assign(prepared, { chainId: 1 })),
    ...ends,
  },
  {
    name: 'another chain, in the transaction',
    lie: inTransaction((transaction) => Object.assign(transaction, { chainId: 1 })),
    ...ends,
  },
  {
    name: 'another contract, in the transaction',
    lie: inTransaction((transaction) => Object.assign(transaction, { to: STRANGER })),
    ...ends,
  },
  {
    name: 'another sender, in the transaction',
    lie: inTransaction((transaction) => Object.assign(transaction, { from: STRANGER })),
    ...ends,
  },
  {
    name: 'another function, in the transaction',
    lie: inTransaction((transaction) => Object.assign(transaction, { data: `${transaction.data}00` })),
    ...ends,
  },
  {
    name: 'a value, in the transaction',
    lie: inTransaction((transaction) => Object.assign(transaction, { value: '0xde0b6b3a7640000' })),
    ...ends,
  },
  {
    name: 'one transaction more',
    lie: inPrepared(({ unsignedTransactions }) => void unsignedTransactions.push(...unsignedTransactions)),
    ...ends,
  },
  { name: 'an endless backlog', lie: endlessBacklog(), ...same },
  {
    name: 'nothing is due, in the state',
    lie: inState((state) =>
      Object.assign(state.nextUncheckedDay, { dayNumber: state.currentDay.dayNumber + 1 }),
    ),
    ...missed,
  },
  {
    name: 'nothing is due, where it is to prepare',
    lie: refuse(422, {
      error: 'Nothing is due.',
      code: 'NOT_READY',
      issues: [{ code: 'REMIT_NOT_DUE', message: 'Not due.' }],
    }),
    ...missed,
  },
  {
    name: 'come again in ten years',
    lie: refuse(429, {
      error: 'Too much.',
      code: 'RATE_LIMITED',
      lane: 'free',
      bucket: 'writeRpm',
      limit: 0,
      retryAfterSeconds: 315_360_000,
    }),
    ...missed,
  },
  {
    name: 'no prepares a day, in the catalog',
    lie: (path, answer) =>
      path.includes('/catalog')
        ? ok(
            Answer.parse(
              JSON.parse(JSON.stringify(answer).replaceAll(/"writeDaily":\d+/g, '"writeDaily":0')),
            ),
          )
        : undefined,
    ...missed,
  },
  { name: 'an answer that is none', lie: refuse(200, { nonsense: true }), ...missed },
]
