import type { GetStatusAnswer } from '../../generated/api.ts'
import type { Command } from '../Command.ts'
import { EXIT } from '../errors.ts'
import { factsOf } from '../output/table.ts'
import { printBody } from './answer.ts'
import { refuseOperands } from './words.ts'

type ChainStatus = GetStatusAnswer['chains'][number]

/**
 * `remit doctor`: tells whether a running service is well. What its nodes can do is told by `npm run doctor`, which only the operator can
 * run: it needs their URLs.
 */
export const doctor: Command = {
  name: 'doctor',
  summary: 'Whether the service, its chains and their indexes are well, and what to do where they are not',
  operands: '',
  options: {},
  notes:
    'It exits with 0 if all is well, and with 1 if something is not. What a node can do, and what it costs, is told\nby the operator’s own command, where the service runs: npm run doctor.',
  async run(invocation) {
    const { connection, operands, signal, terminal, json } = invocation
    refuseOperands('doctor', operands)
    const status = await connection.client.getStatus({}, { signal })
    const troubles = troublesOf(status)
    if (json) printBody(invocation)
    else {
      terminal.out(factsOf(terminal, factsAbout(status)))
      for (const trouble of troubles) terminal.out(`\n${trouble}\n`)
    }
    return troubles.length === 0 ? EXIT.done : EXIT.refused
  },
}

function factsAbout({ service, version, chains }: GetStatusAnswer) {
  return [
    ['Service', `${service} ${version}`],
    ...chains.flatMap((chain) => [
      [`Chain ${chain.chainId}`, nodeOf(chain)] as const,
      ['  index', indexOf(chain)] as const,
    ]),
  ] as const
}

function nodeOf({ rpc }: ChainStatus): string {
  if (rpc.blockNumber === null) return 'no node has answered yet'
  const place = `block ${rpc.blockNumber}`
  return rpc.ok ? `${place}, answered in ${rpc.latencyMs ?? '?'} ms` : `${place} was the last that was seen`
}

function indexOf({ index }: ChainStatus): string {
  if (index === null) return 'none'
  const { blockNumber, synced, lagSeconds, backfill } = index
  if (blockNumber === null) return 'not begun'
  if (backfill === null) return `block ${blockNumber}, ${synced ? 'synced' : `${lagSeconds ?? '?'} s behind`}`
  const { percent, requestsLeft, secondsLeft } = backfill
  const requests = requestsLeft === null ? [] : [`${requestsLeft} requests`]
  const time = secondsLeft === null ? [] : [`${Math.ceil(secondsLeft / 60)} min`]
  const left = [...requests, ...time].join(', ')
  return `the past is being read: ${percent} %${left === '' ? '' : `, ${left} left`}`
}

/** What is wrong, each with what to do. */
function troublesOf({ status, chains }: GetStatusAnswer): string[] {
  const off = status === 'disabled' ? ['The API is switched off (API_ENABLED=false).'] : []
  return [
    ...off,
    ...chains.flatMap(({ chainId, rpc, misconfigured, index }) => {
      if (misconfigured !== null) return [`Chain ${chainId} is not served: ${misconfigured}`]
      const node = rpc.ok
        ? []
        : [`The nodes of chain ${chainId} do not answer. To its operator: npm run doctor says why.`]
      const alarm = index?.alarm ?? null
      const failing = index !== null && !index.ok ? 'The index is not kept up.' : null
      const sentence = alarm ?? failing
      return sentence === null ? node : [...node, `The index of chain ${chainId}: ${sentence}`]
    }),
  ]
}
