import { LAST_DAY } from '@remit/protocol/calendar'
import { inRemitOrder } from '@remit/protocol/charges/ChargeSchedule'
import { OUTLOOK_DAYS, outlookOf } from '@remit/protocol/outlook/outlook'
import { authorizationNonce, authorizationTypedData } from '@remit/protocol/signed/authorization'
import { type Address as ChecksummedAddress, encodeFunctionData, erc20Abi } from 'viem'
import * as z from 'zod'
import { AuthorizationUnsupportedError } from '../../../errors/authorization.ts'
import { ValidationError } from '../../../errors/input.ts'
import type { ProtocolSettings, TokenFacts, WalletState } from '../../../ports/chainReads.ts'
import type { ChainView } from '../../../ports/chains.ts'
import type { PlannedCall } from '../../../ports/proof.ts'
import { isCharged } from '../../../presentation/accountRow.ts'
import { byRoute } from '../../../presentation/byRoute.ts'
import { isoTime } from '../../../presentation/day.ts'
import { mismatchWarnings, quantity } from '../../../presentation/token.ts'
import { Quantity } from '../../../schema/amount.ts'
import type { Issue } from '../../../schema/envelope.ts'
import { Address } from '../../../schema/hex.ts'
import { Timestamp } from '../../../schema/numbers.ts'
import { MOST_PERMIT_SECONDS } from '../../../schema/signed.ts'
import { definePrepare, prepareErrors } from '../answer/definePrepare.ts'
import { anyPrepare } from '../answer/options.ts'
import { inWords, quantityFact, tokenNotApproved } from '../answer/preconditions.ts'
import type { Instead } from '../answer/prepareAnswer.ts'
import {
  type AuthorizationSupport,
  readAuthorizationSupport,
  requireAuthorizations,
} from './authorizations.ts'
import { assertAnother, GivenValue, topUpFields, topUpOf } from './topUpFields.ts'

// A top-up: one wallet gives another, a member's, the tokens that it lacks for its charges to come. Either by a transfer that the payer
// sends, or by an authorization (EIP-3009), a signed transfer that anybody may send to the token ("carry"), who then pays the gas.

/** For how long a signed transfer can be carried by default: it is meant to be carried at once. */
const AUTHORIZATION_SECONDS = 3_600

/** What the preparation found on chain. */
const TopUp = z
  .object({
    ...topUpFields,
    missing: Quantity.nullable().describe(
      `What the account’s balance lacks for its charges of the next ${OUTLOOK_DAYS} days, by the protocol’s rules.`,
    ),
    payerBalance: Quantity.nullable().describe('What `from` holds of the token.'),
  })
  .meta({ id: 'TopUp' })

/** Prepares paying for somebody else: money into a member's wallet, from another one. */
export const prepareTopUp = definePrepare({
  name: 'prepare_top_up',
  summary: 'Prepare giving a member’s wallet the money that it lacks, from another wallet',
  description:
    'A gift: nobody can take it back. With authorization: true the payer needs no ether: it signs, and anybody carries it ' +
    '(prepare_carry_top_up).',
  profiles: ['subscriber'],
  errors: [...prepareErrors, AuthorizationUnsupportedError],
  input: z
    .object({
      ...anyPrepare,
      account: Address.describe('The member who gets it.'),
      token: Address.describe('The ERC-20 contract, one of the approved tokens.'),
      value: GivenValue.optional().describe(
        `How much, raw. Default: what it lacks for ${OUTLOOK_DAYS} days of charges.`,
      ),
      authorization: z
        .boolean()
        .optional()
        .describe('true: answer an `authorization` (EIP-3009, EIP-712) to sign in place of a transfer.'),
      validBefore: Timestamp.optional().describe('Its end. Default an hour ahead, at most 7 days.'),
    })
    .superRefine(({ authorization = false, validBefore }, context) => {
      if (authorization || validBefore === undefined) return
      const message = 'needs authorization: true beside it'
      context.addIssue({ code: 'custom', path: ['validBefore'], message })
    }),
  preflight: TopUp,
  async plan({ input, chain }) {
    const { from, account, token: address } = input
    assertAnother(account, from)
    const validBefore = endOf(chain, input.validBefore)
    const [memberState, payerState, settings] = await Promise.all([
      chain.read.walletState(address, account),
      chain.read.walletState(address, from),
      chain.read.protocol(),
    ])
    const missing = missingMoney(chain, memberState, settings)
    const value = input.value ?? missing
    const authorization = { from, to: account, value, validBefore }
    const support = input.authorization
      ? await readAuthorizationSupport(chain, address, authorization)
      : undefined
    const { approved } = memberState
    const held = payerState.approved?.wallet.balance ?? 0n
    return {
      operation: 'top_up',
      issues:
        approved === undefined
          ? [tokenNotApproved(address)]
          : topUpIssues({ from, value, held }, approved.token),
      warnings: approved === undefined ? [] : mismatchWarnings(approved.token),
      nativeBalance: payerState.nativeBalance,
      preflight: {
        ...topUpOf(account, { value }, memberState, settings),
        missing: approved ? quantity(missing, approved.token) : null,
        payerBalance: approved ? quantity(held, approved.token) : null,
      },
      instead:
        value === 0n
          ? () => nothingMissing(account)
          : support && (() => offer(chain, support, { token: address, ...authorization })),
      batches: () =>
        approved === undefined || value === 0n ? [] : [[transferCall(account, value, approved.token)]],
    }
  },
})

/** The end of an authorization, unix seconds. Throws ValidationError for one that is over or too far ahead. */
function endOf({ now }: Pick<ChainView, 'now'>, validBefore = now + AUTHORIZATION_SECONDS): number {
  if (validBefore <= now) throw ValidationError.of('validBefore', 'is over already, by the chain’s clock')
  if (validBefore > now + MOST_PERMIT_SECONDS) {
    throw ValidationError.of('validBefore', 'is more than 7 days ahead')
  }
  return validBefore
}

/**
 * What a balance lacks for the charges to come, in raw units, by the protocol's rules alone. The account's outlook, which
 * also simulates remit, can say more.
 */
function missingMoney(
  { today }: Pick<ChainView, 'today'>,
  { approved, memberships, dueOrder }: WalletState,
  { callerFee, nextUncheckedDay }: ProtocolSettings,
): bigint {
  if (approved === undefined) return 0n
  const { token, wallet } = approved
  const rows = memberships.filter((row) => isCharged(row) && row.terms.token === token.address)
  const { tokens } = outlookOf({
    subscriptions: inRemitOrder(
      rows.map(({ terms, feeBalance }) => ({ ...terms, feeBalance })),
      dueOrder,
    ),
    tokens: [{ token: token.address, decimals: token.decimals, paused: token.paused, means: wallet }],
    callerFee,
    nextUncheckedDay,
    throughDay: Math.min(today + OUTLOOK_DAYS, LAST_DAY),
  })
  return tokens[0]?.toAdd.balance ?? 0n
}

function topUpIssues(
  { from, value, held }: { from: ChecksummedAddress; value: bigint; held: bigint },
  token: TokenFacts,
): Issue[] {
  if (held >= value) return []
  const message = `${from} holds ${inWords(held, token)}, and is to give ${inWords(value, token)}.`
  return [
    {
      code: 'INSUFFICIENT_BALANCE',
      message,
      token: token.address,
      balance: quantityFact(held, token),
      needed: quantityFact(value, token),
    },
  ]
}

function nothingMissing(account: ChecksummedAddress): Instead {
  return {
    steps: [
      `${account} lacks nothing for its charges of the next ${OUTLOOK_DAYS} days, so there is nothing to send. \`value\` says how much to ` +
        'give anyway.',
    ],
  }
}

function transferCall(account: ChecksummedAddress, value: bigint, token: TokenFacts): PlannedCall {
  const data = encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [account, value] })
  const instruction = `give ${inWords(value, token)} to ${account}, for good`
  return { to: token.address, data, value: 0n, instruction }
}

/** The authorization to sign, with the next steps. Throws AuthorizationUnsupportedError where the token takes none of the payer. */
function offer(
  { chainId }: Pick<ChainView, 'chainId'>,
  support: AuthorizationSupport,
  offered: {
    readonly token: ChecksummedAddress
    readonly from: ChecksummedAddress
    readonly to: ChecksummedAddress
    readonly value: bigint
    readonly validBefore: number
  },
): Instead {
  const { token, ...authorization } = offered
  const { from: payer, to: account, value, validBefore } = authorization
  const domain = requireAuthorizations(token, support)
  const nonce = authorizationNonce({ chainId, token }, authorization)
  const signed = { payer, account, token, value: value.toString(), validBefore, signature: '<signature>' }
  return {
    authorization: { ...authorizationTypedData(domain, nonce, authorization), validBefore },
    steps: [
      `Sign \`authorization\` with the wallet ${payer} (eth_signTypedData_v4). It costs no gas and moves nothing by itself. The digest ` +
        'that is signed must be the one given here.',
      `Whoever has the signature can carry it before ${isoTime(validBefore)}, and the money goes to ${account} alone: ask ` +
        `prepare_carry_top_up${byRoute(`POST /prepare/carry_top_up?chainId=${chainId}`)} with \`from\`, who pays the gas, and ` +
        `${JSON.stringify(signed)}.`,
    ],
  }
}
