import {
  type Address,
  createPublicClient,
  createWalletClient,
  encodeFunctionData,
  formatUnits,
  http,
  zeroAddress,
} from 'viem'
import { parseAccount } from 'viem/accounts'
import { type Client, clientWith } from '../../../createClient.ts'
import { NotReadyError, RemitError, ValidationError } from '../../../errors/RemitError.ts'
import { subscriptionsAbi } from '../../../generated/abi.ts'
import type { GetCatalogAnswer } from '../../../generated/api.ts'
import { OwnWrites } from '../../../request/freshCaller.ts'
import { ChainReads } from '../../../sending/ChainReads.ts'
import { findContract } from '../../../sending/check/findContract.ts'
import { prepareHere, type Sender } from '../../../sending/check/prepareHere.ts'
import { signingFor } from '../../../sending/check/signingFor.ts'
import { requestedCarry } from '../../../sending/signed/carry.ts'
import type { SignedPermit } from '../../../sending/signed/SignedPermit.ts'
import { SignedPermits } from '../../../sending/signed/SignedPermits.ts'
import type { Wallet } from '../../../sending/wallet/Wallet.ts'
import type { Invocation } from '../../Command.ts'
import { CliError, EXIT, UsageError } from '../../errors.ts'
import { checkChain, checkState } from '../checkAnswers.ts'
import type { Prices } from '../decide/weighRemit.ts'
import { Keeper } from '../Keeper.ts'
import { createKeeperChain } from '../node/createKeeperChain.ts'
import type { OwnNode } from '../node/OwnNode.ts'
import { readOrNull, TokenReads } from '../node/TokenReads.ts'
import { leastIntervalMs, WriteBudget } from '../pace.ts'
import type { Facts, Journal, KeeperClock, KeeperPermits } from '../ports.ts'
import { createKeeperService } from './createKeeperService.ts'
import { priceTexts, readKeeperOptions, readPrices, readTokens } from './readKeeperOptions.ts'

/** A keeper that is ready to run, and what to say of it. */
interface ReadyKeeper {
  readonly keeper: Keeper
  readonly message: string
  readonly facts: Facts
}

/**
 * Makes the keeper of `remit keeper` out of its command line: it watches the protocol and calls remit from its owner's account
 * whenever that pays. It trusts no service with that money. The chain is the one that the owner names, else the node's; the contract
 * is the owner's or the built-in one; tokens are read at the node. Only the limits on its requests and a list of tokens come from
 * the service. Throws CliError where any of this does not fit.
 */
export async function startKeeper(
  invocation: Invocation,
  { clock, journal }: { clock: KeeperClock; journal: Journal },
): Promise<ReadyKeeper> {
  const { connection, environment, flags, signal } = invocation
  const options = readKeeperOptions(flags, environment)
  const { address, minProfitWei, maxFeeWei, isDryRun, carries } = options
  const transport = http(options.rpcUrl, { retryCount: 1, timeout: 10_000 })
  const node = createPublicClient({ transport })
  const chainId = await requireChain(node, connection.options.chainId)
  const contractAddress = await requireContract(node, chainId, options.contract)
  // The block of the keeper's last transaction: the service's answers must be of that block or a later one.
  const ownWrites = new OwnWrites(clock.now)
  const contracts = { [chainId]: contractAddress }
  // Without retries: the keeper has a pace of its own for what failed.
  const client = clientWith(ownWrites, { ...connection.options, chainId, contracts, retries: 0 })
  const { state, listed, catalog } = await askService(client, chainId, signal)
  checkState(state, { chainId, contractAddress })
  checkChain(listed.chainId, chainId)

  const tokens = new TokenReads(node, contractAddress)
  const addresses = listed.tokens.map((token) => token.address)
  const prices = await pricesOf(invocation, addresses, tokens)
  // The service has answered above, so an API key that was given is live, and its limits hold.
  const { perMinute, perDay, dailyLooks } = limitsOf(
    catalog,
    connection.options.apiKey !== undefined,
    carries,
  )
  const intervalMs = Math.max(options.intervalMs, leastIntervalMs(dailyLooks))
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
        { api: client, contracts, ownWrites, signedPermits: new SignedPermits(), budget: undefined },
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

/** What a keeper asks of the service before it starts. */
async function askService(client: Client, chainId: number, signal: AbortSignal) {
  const asked = [
    client.getProtocolState({}, { signal }),
    client.listApprovedTokens({}, { signal }),
    client.getCatalog({}, { signal }),
  ] as const
  const [state, listed, catalog] = await Promise.all(asked).catch((error: unknown) => {
    const isChain = error instanceof ValidationError && error.issues.some(({ path }) => path === 'chainId')
    // The command line may not name the chain, so the plain error would name a field that nobody gave.
    throw isChain
      ? new UsageError(`The service does not serve chain ${chainId}, which --rpc is on.`, { cause: error })
      : error
  })
  return { state, listed, catalog }
}

/** The owner's prices. @param listed the tokens that the service says are approved */
async function pricesOf(
  { flags, environment }: Pick<Invocation, 'flags' | 'environment'>,
  listed: readonly Address[],
  tokens: TokenReads,
): Promise<Prices> {
  const texts = priceTexts(flags.list('price'), environment.REMIT_PRICES)
  const known = await readTokens(texts, listed, tokens).catch((cause: unknown) => {
    throw new CliError('The RPC of --rpc cannot read the tokens.', EXIT.unavailable, { cause })
  })
  return readPrices(texts, known)
}

/** How much the service lets the keeper ask; where it names no limits, as much as services usually allow without a key. */
function limitsOf({ access }: GetCatalogAnswer, hasKey: boolean, carries: boolean) {
  const { limits } = hasKey ? access.rest.developer : access.rest.free
  const { writeRpm: perMinute = 2, writeDaily: perDay = 20, dailyTotalRequests = 500 } = limits ?? {}
  // With --carry, a look at what is offered comes beside each look at the state.
  return { perMinute, perDay, dailyLooks: carries ? dailyTotalRequests / 2 : dailyTotalRequests }
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

/** The address of the contract on this chain is neither built in nor given. The service's word for it never counts. */
class MissingContractError extends CliError {
  override readonly name = 'MissingContractError'

  constructor(chainId: number) {
    super(
      `The protocol’s contract on chain ${chainId} is not known here: give its address with --contract. The service’s word for it does not count.`,
      EXIT.usage,
    )
  }
}

/**
 * The contract that a keeper calls: the owner's word, or the built-in one. Throws MissingContractError where there is
 * neither, and CliError where the node has no such contract there.
 */
export async function requireContract(
  node: OwnNode,
  chainId: number,
  pinned: Address | undefined,
): Promise<Address> {
  const address = findContract(chainId, pinned === undefined ? {} : { [chainId]: pinned })
  if (address === undefined) throw new MissingContractError(chainId)
  // Any view of the protocol would do.
  const view = { address, abi: subscriptionsAbi, functionName: 'approvedERC20', args: [zeroAddress] } as const
  const answer = await readOrNull(node.readContract(view)).catch((cause: unknown) => {
    throw new CliError('The RPC of --rpc does not answer.', EXIT.unavailable, { cause })
  })
  if (answer !== null) return address
  throw new UsageError(
    `At ${address} on chain ${chainId}, by the RPC of --rpc, is no contract of the protocol: nothing is sent.`,
  )
}

/** Codes of errors that say that a permit cannot be carried, now or later. */
const VOID: readonly string[] = ['PERMIT_VOID', 'PERMIT_UNSUPPORTED', 'SIMULATION_FAILED', 'VALIDATION_ERROR']

/**
 * With --carry the keeper also sends permits that others have signed and offered. `callOf` prepares the call for one at the
 * keeper's own node, as for any wallet that carries; `undefined` where the permit can never be carried any more.
 */
function createKeeperPermits(
  sender: Sender,
  { wallet, chainId, signal }: { wallet: Wallet; chainId: number; signal: AbortSignal },
): KeeperPermits {
  return {
    async callOf(permit: SignedPermit) {
      const signing = await signingFor(sender, chainId, wallet, { signal })
      try {
        const { calls } = await prepareHere(sender, requestedCarry({ ...permit, chainId }), signing)
        return calls[0]
      } catch (error) {
        const isVoid =
          error instanceof NotReadyError || (error instanceof RemitError && VOID.includes(error.code))
        if (isVoid) return undefined
        throw error
      }
    },
  }
}
