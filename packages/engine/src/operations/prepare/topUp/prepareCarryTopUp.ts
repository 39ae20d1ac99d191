import type { Address as ChecksummedAddress, Hex } from 'viem'
import * as z from 'zod'
import { AuthorizationUnsupportedError, AuthorizationVoidError } from '../../../errors/authorization.ts'
import type { TokenFacts } from '../../../ports/chainReads.ts'
import type { PlannedCall } from '../../../ports/proof.ts'
import { Address, Signature } from '../../../schema/hex.ts'
import { Timestamp } from '../../../schema/numbers.ts'
import { definePrepare, prepareErrors } from '../answer/definePrepare.ts'
import { anyPrepare } from '../answer/options.ts'
import { inWords, tokenNotApproved } from '../answer/preconditions.ts'
import type { Instead } from '../answer/prepareAnswer.ts'
import { judgeAuthorization, readHanded } from './authorizations.ts'
import { assertAnother, GivenValue, topUpFields, topUpOf } from './topUpFields.ts'

const CarriedTopUp = z
  .object({
    payer: Address.describe('Whose money it is. Nothing of `from` is at stake but the gas.'),
    validBefore: Timestamp,
    alreadyUsed: z
      .boolean()
      .describe(
        'true: it was carried already, or its payer has cancelled it; the token does not say which. Nothing is left to send, and ' +
          '`balance.after` is what the account has now.',
      ),
    ...topUpFields,
  })
  .meta({ id: 'CarriedTopUp' })

/** Prepares carrying a transfer that somebody has signed for a member. */
export const prepareCarryTopUp = definePrepare({
  name: 'prepare_carry_top_up',
  summary: 'Prepare carrying a transfer that a wallet has signed for a member, by whoever pays the gas',
  description: 'It moves nothing of `from`. prepare_top_up with authorization: true says what to sign.',
  profiles: ['subscriber', 'provider', 'keeper'],
  access: 'signed',
  errors: [...prepareErrors, AuthorizationUnsupportedError, AuthorizationVoidError],
  input: z.object({
    ...anyPrepare,
    payer: Address.describe('Who has signed, and pays.'),
    account: Address.describe('The member who gets it.'),
    token: Address.describe('The ERC-20 contract, one of the approved tokens.'),
    value: GivenValue.describe('As it was signed, raw.'),
    validBefore: Timestamp.describe('As it was signed, unix seconds.'),
    signature: Signature.describe('Of a key or of the payer’s contract.'),
  }),
  preflight: CarriedTopUp,
  async plan({ input, chain }) {
    const { from, payer, account, token: address, value, validBefore, signature } = input
    assertAnother(account, payer)
    const authorization = { from: payer, to: account, value, validBefore }
    const handed = { token: address, authorization, signature }
    const [state, settings, read, { nativeBalance }] = await Promise.all([
      chain.read.walletState(address, account),
      chain.read.protocol(),
      readHanded(chain, handed),
      chain.read.signer(from),
    ])
    const { approved } = state
    const found = { operation: 'carry_top_up', warnings: [], nativeBalance }
    const stated = { payer, validBefore }
    if (approved === undefined) {
      return {
        ...found,
        issues: [tokenNotApproved(address)],
        preflight: { ...stated, alreadyUsed: false, ...topUpOf(account, { value }, state, settings) },
        batches: () => [],
      }
    }
    const call = await judgeAuthorization(chain, handed, read)
    const { token } = approved
    return {
      ...found,
      issues: [],
      preflight: {
        ...stated,
        alreadyUsed: call === undefined,
        ...topUpOf(account, { value, isUsed: call === undefined }, state, settings),
      },
      instead: call === undefined ? () => NOTHING_LEFT : undefined,
      batches: () => (call === undefined ? [] : [[carryCall(call, { payer, account, value }, token)]]),
    }
  },
})

const NOTHING_LEFT: Instead = {
  steps: [
    'This transfer is used: somebody has carried it already, or its payer has cancelled it. There is nothing to send. The account’s ' +
      'balance is in `preflight`.',
  ],
}

function carryCall(
  call: Hex,
  { payer, account, value }: { payer: ChecksummedAddress; account: ChecksummedAddress; value: bigint },
  token: TokenFacts,
): PlannedCall {
  const instruction = `carry what ${payer} has signed, which gives ${inWords(value, token)} of that wallet to ${account}`
  return { to: token.address, data: call, value: 0n, instruction }
}
