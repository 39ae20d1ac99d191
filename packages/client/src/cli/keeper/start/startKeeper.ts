import { createPublicClient, createWalletClient, encodeFunctionData, formatUnits, http } from 'viem'
import { parseAccount } from 'viem/accounts'
import { clientWith } from '../../../createClient.ts'
import { ValidationError } from '../../../errors/input.ts'
import { subscriptionsAbi } from '../../../generated/abi.ts'
import { OwnWrites } from '../../../request/OwnWrites.ts'
import { ChainReads } from '../../../sending/chain/ChainReads.ts'
import { SignedPermits } from '../../../sending/permits/SignedPermits.ts'
import { CliError, UsageError } from '../../invocation/CliError.ts'
import type { Invocation } from '../../invocation/Command.ts'
import { EXIT } from '../../invocation/exitCodes.ts'
import { checkChain, checkState } from '../checkAnswers.ts'
import { Keeper } from '../Keeper.ts'
import { createKeeperChain } from '../node/createKeeperChain.ts'
import { createKeeperPermits } from '../node/createKeeperPermits.ts'
import type { OwnNode } from '../node/OwnNode.ts'
import { TokenReads } from '../node/TokenReads.ts'
import { leastIntervalMs } from '../pace/schedule.ts'
import { WriteBudget } from '../pace/WriteBudget.ts'
import type { Facts, Journal, KeeperClock } from '../ports/ports.ts'
import { createKeeperService } from './createKeeperService.ts'
import { readKeeperOptions } from './readKeeperOptions.ts'
import { priceTexts, readPrices, readTokens } from './readPrices.ts'
import { requireContract } from './requireContract.ts'

/** A keeper that is ready to run, and what to say of it. */
interface ReadyKeeper {
  readonly keeper: Keeper
  readonly message: string
  readonly facts: Facts
}

/**
 * Makes a keeper of a command line. Chain and contract are the owner's word or the node's, tokens are read at the node;
 * of the service come its limits and a list of tokens. Throws CliError where anything of it does not fit.
 */
export async function startKeeper(
  { connection, environment, flags, signal }: Invocation,
  { clock, journal }: { clock: KeeperClock; journal: Journal },
): Promise<ReadyKeeper> {
  const options = readKeeperOptions(flags, environment)
  const { address, minProfitWei, maxFeeWei, isDryRun, carries } = options
  const transport = http(options.rpcUrl, { retryCount: 1, timeout: 10_000 })
  const node = createPublicClient({ transport })
  const chainId = await requireChain(node, connection.options.chainId)
  const contractAddress = await requireContract(node, chainId, options.contract)
  const ownWrites = new OwnWrites(clock.now)
  const client = clientWith(ownWrites, {
    ...connection.options,
    chainId,
    contracts: { [chainId]: contractAddress },
    retries: 0,
  })
  const [state, listed, catalog] = await Promise.all([
    client.getProtocolState({}, { signal }),
    client.listApprovedTokens({}, { signal }),
    client.getCatalog({}, { signal }),
  ]).catch((error: unknown) => {
    const isChain = error instanceof ValidationError && error.issues.some(({ path }) => path === 'chainId')
    // The chain is not the owner's word alone: without --chain it is the node's.
    throw isChain
      ? new UsageError(`The service does not serve chain ${chainId}, which --rpc is on.`, { cause: error })
      : error
  })
  checkState(state, { chainId, contractAddress })
  checkChain(listed.chainId, chainId)

  const tokens = new TokenReads(node, contractAddress)
  const texts = priceTexts(flags.list('price'), environment.REMIT_PRICES)
  const addresses = listed.tokens.map((token) => token.address)
  const known = await readTokens(texts, addresses, tokens).catch((cause: unknown) => {
    throw new CliError('The RPC of --rpc cannot read the tokens.', EXIT.unavailable, { cause })
  })
  const prices = readPrices(texts, known)

  const { developer, free } = catalog.access.rest
  // A key that is not live would have been refused above.
  const { limits } = connection.options.apiKey === undefined ? free : developer
  const { writeRpm: perMinute = 2, writeDaily: perDay = 20, dailyTotalRequests = 500 } = limits ?? {}
  // A look at what is offered comes beside each look at the state.
  const looks = carries ? dailyTotalRequests / 2 : dailyTotalRequests
  const intervalMs = Math.max(options.intervalMs, leastIntervalMs(looks))
  const account = options.account ?? parseAccount(address)
  const wallet = createWalletClient({ account, transport })
  const functionName = 'remit'
  const data = encodeFunctionData({ abi: subscriptionsAbi, functionName })
  const call = { functionName, to: contractAddress, data }
  const keeper = new Keeper(
    { ...options, intervalMs, chainId, call, prices },
    {
      service: createKeeperService(client, {
        chainId,
        account: account.address,
        call,
        reads: new ChainReads(wallet, contractAddress),
        ownWrites,
        signal,
      }),
      chain: createKeeperChain(node, { address, call, tokens }),
      permits: createKeeperPermits(
        {
          api: client,
          contracts: { [chainId]: contractAddress },
          ownWrites,
          signedPermits: new SignedPermits(),
          budget: undefined,
        },
        { wallet, chainId, signal },
      ),
      wallet,
      account,
      ownWrites,
      clock,
      journal,
      budget: new WriteBudget({ perMinute, perDay }),
    },
  )
  const message =
    `Keeping chain ${chainId} as ${address}${isDryRun ? ' in a dry run' : ''}: a look every ` +
    `${intervalMs / 1000} s, ${perDay} prepares a day, profit above ${formatUnits(minProfitWei, 18)} ETH, ` +
    `${formatUnits(maxFeeWei, 18)} ETH for a call at most${carries ? ', and permissions are carried' : ''}.`
  return { keeper, message, facts: { chainId, address, contractAddress, intervalMs, perDay, maxFeeWei } }
}

/** The owner's chain, else the node's; never the service's. */
async function requireChain(node: OwnNode, wanted: number | undefined): Promise<number> {
  const actual = await node.getChainId().catch((cause: unknown) => {
    throw new CliError('The RPC of --rpc does not answer.', EXIT.unavailable, { cause })
  })
  if (wanted === undefined || wanted === actual) return actual
  throw new UsageError(
    `The RPC of --rpc is on chain ${actual} and not on ${wanted}, as --chain says: nothing is sent.`,
  )
}
