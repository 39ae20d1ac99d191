import type { Address } from 'viem'
import { createPublicClient, encodeFunctionData, formatUnits, http, keccak256 } from 'viem'
import { createClient } from '../../createClient.ts'
import { subscriptionsAbi } from '../../generated/abi.ts'
import { findContract } from '../../sending/findContract.ts'
import { CliError } from '../CliError.ts'
import type { Command, Invocation } from '../Command.ts'
import { EXIT } from '../exitCodes.ts'
import { chainOf } from '../keeper/chainOf.ts'
import { createJournal } from '../keeper/createJournal.ts'
import { Keeper } from '../keeper/Keeper.ts'
import type { Journal, KeeperClock, KeeperWallet } from '../keeper/ports.ts'
import { type KeeperAccount, type KeeperOptions, readKeeperOptions } from '../keeper/readKeeperOptions.ts'
import { priceTexts, readPrices } from '../keeper/readPrices.ts'
import { leastIntervalMs } from '../keeper/schedule.ts'
import { serviceOf } from '../keeper/serviceOf.ts'
import { WriteBudget } from '../keeper/WriteBudget.ts'
import { isSame } from '../keeper/weighRemit.ts'
import { refuseOperands } from './words.ts'

const clock: KeeperClock = {
  now: Date.now,
  sleep: (ms, signal) =>
    new Promise((resolve) => {
      const end = () => {
        clearTimeout(timer)
        signal?.removeEventListener('abort', end)
        resolve()
      }
      const timer = setTimeout(end, ms)
      signal?.addEventListener('abort', end, { once: true })
      if (signal?.aborted) end()
    }),
}

/** Watches the protocol and calls remit whenever that pays. */
export const keeper: Command = {
  name: 'keeper',
  summary: 'Watches the protocol and calls remit with a local key whenever its fees beat its gas',
  operands: '',
  options: {
    'key-file': {
      type: 'string',
      value: '<file>',
      help: 'file with the key, readable by you alone; else REMIT_KEEPER_KEY',
    },
    rpc: { type: 'string', value: '<url>', help: 'the keeper’s own node; else REMIT_RPC_URL' },
    price: {
      type: 'string',
      multiple: true,
      value: '<token>=<ETH>',
      help: 'what one token is worth; repeat it; else REMIT_PRICES, separated by commas',
    },
    'min-profit': {
      type: 'string',
      value: '<ETH>',
      help: 'send only for more than this; default 0; may be negative',
    },
    'dry-run': { type: 'boolean', help: 'do everything but sign' },
    from: { type: 'string', value: '<address>', help: 'with --dry-run: who would send, without a key' },
    once: { type: 'boolean', help: 'end as soon as there is nothing to be done for now' },
    interval: { type: 'string', value: '<seconds>', help: 'look at least so often; default 300' },
    'bump-after': {
      type: 'string',
      value: '<seconds>',
      help: 'raise the fees of what nobody mines; default 120',
    },
    drain: { type: 'string', value: '<seconds>', help: 'wait for a receipt when asked to end; default 60' },
    contract: {
      type: 'string',
      value: '<address>',
      help: 'the protocol’s contract, where the chain is not a known one',
    },
  },
  notes:
    'A token without a price counts 0: no price is made up. The key must be one that nothing else sends with.\n' +
    'What a keeper earns and risks is on the service’s page docs/command-line.md.',
  async run(invocation) {
    const { flags, environment, operands, signal, terminal, json } = invocation
    refuseOperands('keeper', operands)
    const options = readKeeperOptions(flags, environment)
    const journal = createJournal(terminal, clock, json)
    const { running, ready } = await start(invocation, options, journal)
    journal.tell('started', ready.message, ready.facts)
    try {
      await running.run(signal)
    } finally {
      journal.tell('stopped', running.totals.sentence(), running.totals.facts())
    }
    return undefined
  },
}

async function start(invocation: Invocation, options: KeeperOptions, journal: Journal) {
  const { connection, environment, flags, signal } = invocation
  const { address, account, rpcUrl } = options
  const client = createClient({ ...connection.options, retries: 0 })
  const [state, { tokens }, catalog, { lane }] = await Promise.all([
    client.getProtocolState({}, { signal }),
    client.listApprovedTokens({}, { signal }),
    client.getCatalog({}, { signal }),
    client.getStatus({}, { signal }),
  ])
  const prices = readPrices(priceTexts(flags.list('price'), environment.REMIT_PRICES), tokens)
  const node = createPublicClient({ transport: http(rpcUrl, { retryCount: 1, timeout: 10_000 }) })
  await requireChain(() => node.getChainId(), state.chainId)
  const contractAddress = requireContract(state, options.contract)
  const limits = lane === 'developer' ? catalog.access.rest.developer.limits : catalog.access.rest.free.limits
  const { writeRpm: perMinute = 2, writeDaily: perDay = 20, dailyTotalRequests = 500 } = limits ?? {}
  const intervalMs = Math.max(options.intervalMs, leastIntervalMs(dailyTotalRequests))
  const { chainId } = state
  const remitData = encodeFunctionData({ abi: subscriptionsAbi, functionName: 'remit' })
  const running = new Keeper(
    { ...options, intervalMs, chainId, contractAddress, remitData, prices },
    {
      service: serviceOf(client, signal),
      chain: chainOf(node, { address, contract: contractAddress }),
      wallet: walletOf(address, account),
      clock,
      journal,
      budget: new WriteBudget({ perMinute, perDay }),
    },
  )
  const message =
    `Keeping chain ${chainId} as ${address}${options.isDryRun ? ' in a dry run' : ''}: a look every ` +
    `${intervalMs / 1000} s, ${perDay} prepares a day, profit above ${formatUnits(options.minProfitWei, 18)} ETH.`
  return { running, ready: { message, facts: { chainId, address, contractAddress, intervalMs, perDay } } }
}

async function requireChain(ask: () => Promise<number>, chainId: number): Promise<void> {
  const actual = await ask().catch((cause: unknown) => {
    throw new CliError('The RPC of --rpc does not answer.', EXIT.unavailable, { cause })
  })
  if (actual === chainId) return
  throw new CliError(
    `The RPC is on chain ${actual} and the service on chain ${chainId}: nothing is sent. Choose with --chain and --rpc.`,
    EXIT.usage,
  )
}

/** The contract that is pinned, by the caller or by this package; else the service's word. */
function requireContract(
  { chainId, contractAddress }: { chainId: number; contractAddress: Address },
  pinned: Address | undefined,
): Address {
  const known = findContract(chainId, pinned === undefined ? {} : { [chainId]: pinned })
  if (known === undefined || isSame(known, contractAddress)) return contractAddress
  throw new CliError(
    `The service’s contract on chain ${chainId} is ${contractAddress}, and the protocol’s is ${known}: nothing is sent.`,
    EXIT.refused,
  )
}

function walletOf(address: Address, account: KeeperAccount | undefined): KeeperWallet {
  return {
    address,
    async sign({ fees, ...transaction }) {
      if (account === undefined) throw new TypeError('a dry run does not sign')
      const signed = await account.signTransaction({ ...transaction, ...fees, type: 'eip1559', value: 0n })
      return { signed, hash: keccak256(signed) }
    },
  }
}
