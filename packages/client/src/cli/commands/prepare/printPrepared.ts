import type { AuthorizationToSign, PermitToSign, PrepareRemitAnswer } from '../../../generated/api.ts'
import type { Terminal } from '../../output/Terminal.ts'
import { styled } from '../../output/Terminal.ts'
import { factsOf, tableOf } from '../../output/table.ts'
import { amountOf, fewDigits, timeOf } from '../words.ts'

/** The fields that every prepare answers with, and what some give to be signed in place of transactions. */
export type PreparedAnswer = Omit<PrepareRemitAnswer, 'preflight' | 'details'> & {
  readonly permit?: PermitToSign
  readonly authorization?: AuthorizationToSign
}

/** Prints a prepared operation for people: what to do, what will move, what it costs, what to sign. */
export function printPrepared(terminal: Terminal, answer: PreparedAnswer): void {
  const { operation, ready, issues = [], warnings, instructions } = answer
  const heading =
    ready === undefined ? `${operation} is prepared.` : `${operation}: ${ready ? 'ready' : 'not ready'}.`
  terminal.out(`${styled(terminal, 'bold', heading)}\n`)
  for (const { message } of issues) terminal.out(`  ${styled(terminal, 'red', message)}\n`)
  for (const { message } of warnings) terminal.out(`  ${styled(terminal, 'yellow', `Note: ${message}`)}\n`)
  if (instructions.length > 0) {
    terminal.out(`\n${instructions.map((step, index) => `${index + 1}. ${step}`).join('\n')}\n`)
  }
  printChanges(terminal, answer)
  printGas(terminal, answer)
  printTransactions(terminal, answer)
  printTyped(terminal, answer)
}

function printChanges(terminal: Terminal, { simulation }: PreparedAnswer): void {
  if (simulation === undefined) return
  const { balanceChanges } = simulation
  if (balanceChanges.length === 0) {
    terminal.out('\nNo tokens move.\n')
    return
  }
  type Change = (typeof balanceChanges)[number]
  const columns = [
    { heading: 'ACCOUNT', value: ({ account }: Change) => account },
    {
      heading: 'CHANGE',
      value: ({ amount, token }: Change) => amountOf(amount.startsWith('-') ? amount : `+${amount}`, token),
      align: 'right',
    },
  ] as const
  terminal.out(`\nWhat will move:\n${tableOf(terminal, columns, balanceChanges)}`)
}

function printGas(terminal: Terminal, { gasSummary, formattedValidUntil }: PreparedAnswer): void {
  if (gasSummary === undefined) return
  const {
    totalGasLimit,
    totalEstimatedCostEth,
    backlogMultiplier = 1,
    totalBacklogEstimatedCostEth,
  } = gasSummary
  terminal.out('\n')
  terminal.out(
    factsOf(terminal, [
      ['Gas limit', String(totalGasLimit)],
      ['Costs about', `${fewDigits(totalEstimatedCostEth)} ETH`],
      ...(backlogMultiplier > 1 && totalBacklogEstimatedCostEth !== undefined
        ? ([
            [
              'Whole backlog',
              `${backlogMultiplier} times, about ${fewDigits(totalBacklogEstimatedCostEth)} ETH`,
            ],
          ] as const)
        : []),
      ...(formattedValidUntil === undefined ? [] : ([['Valid until', timeOf(formattedValidUntil)]] as const)),
    ]),
  )
}

/** Calldata is never shortened: it is there to be copied. */
function printTransactions(terminal: Terminal, { unsignedTransactions = [] }: PreparedAnswer): void {
  for (const [index, { to, data, value, chainId, from }] of unsignedTransactions.entries()) {
    terminal.out(`\nTransaction ${index + 1} of ${unsignedTransactions.length}\n`)
    terminal.out(
      factsOf(terminal, [
        ['Chain', String(chainId)],
        ['From', from],
        ['To', to],
        ['Value', `${value} wei`],
        ['Data', data],
      ]),
    )
  }
}

/** As eth_signTypedData_v4 takes it: to be copied, too. */
function printTyped(terminal: Terminal, { permit, authorization }: PreparedAnswer): void {
  const typedData = permit ?? authorization
  if (typedData === undefined) return
  const { domain, types, primaryType, message, digest } = typedData
  const typed = JSON.stringify({ domain, types, primaryType, message }, (_, value: unknown) =>
    typeof value === 'bigint' ? value.toString() : value,
  )
  terminal.out(`\nTo sign:\n${typed}\n\n${factsOf(terminal, [['Digest', digest]])}`)
}
