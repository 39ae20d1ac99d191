import { minimumRaw, parseHuman, rawToProtocol, toRaw } from '@remit/protocol/amounts'
import { dueSchedule } from '@remit/protocol/dueSchedule'
import { largestPayable } from '@remit/protocol/largestPayable'
import { frequencyLabel } from '@remit/protocol/subscription'
import * as z from 'zod'
import { ValidationError } from '../../errors/input.ts'
import type { CreateState, TokenFacts } from '../../ports/chainReads.ts'
import { toDayOrNull } from '../../presentation/day.ts'
import { quantity, toToken } from '../../presentation/token.ts'
import { HumanAmount, Quantity, Token } from '../../schema/amount.ts'
import type { Issue } from '../../schema/envelope.ts'
import { Address } from '../../schema/hex.ts'
import { Day, FrequencyNumber } from '../../schema/numbers.ts'
import { Details } from '../../schema/text.ts'
import { checkDueDay, DueDay, definePrepare } from './answer/definePrepare.ts'
import { prepareOptions } from './answer/options.ts'
import { protocolCall } from './answer/plannedCall.ts'
import { inWords, quantityFact, tokenIssues, tokenNotApproved, tokenWord } from './answer/preconditions.ts'

const CreateContext = z.object({
  token: Token.nullable().describe('null where the protocol has not approved it.'),
  amount: Quantity.nullable(),
  minimum: Quantity.nullable(),
  nextDue: Day.nullable().describe('The first due day, today or later, that remit has not checked.'),
})

/** Prepares a new subscription. Its id is only known once the transaction is mined: see get_transaction_status. */
export const prepareCreateSubscription = definePrepare({
  name: 'prepare_create_subscription',
  summary: 'Prepare a new subscription that others can subscribe to',
  description:
    'The id depends on the block that mines it: get_transaction_status returns it as createdSubscriptionId.',
  profiles: ['essential', 'provider'],
  input: z
    .object({
      amount: HumanAmount.describe('One period’s price in human units of the token, such as "10".'),
      token: Address.describe('The ERC-20 contract, one of the approved tokens.'),
      details: Details,
      frequency: FrequencyNumber,
      dueDay: DueDay,
      ...prepareOptions,
    })
    .superRefine(checkDueDay),
  preflight: CreateContext,
  async plan({ input, chain }) {
    const state = await chain.read.createState(input.token, input.from)
    const { token } = state
    const amount = token === undefined ? undefined : amountIn(input.amount, token)
    const { nextUncheckedDay } = state.settings
    const { nextDue } = dueSchedule({ ...input, cancelled: false }, { nextUncheckedDay, today: chain.today })
    const context = createContext(state, amount?.raw, nextDue)
    return {
      operation: 'create_subscription',
      issues: createIssues(input.token, state, amount),
      warnings: [],
      nativeBalance: state.nativeBalance,
      preflight: context,
      batches: () => [
        [
          protocolCall(
            chain.contractAddress,
            'createSubscription',
            [amount?.protocol ?? 0n, input.token, input.details, input.frequency, input.dueDay],
            `create a ${frequencyLabel(input.frequency).toLowerCase()} subscription of ${input.amount} ` +
              (token === undefined ? input.token : tokenWord(token)),
          ),
        ],
      ],
    }
  },
})

/** Converts the amount exactly, to raw and to protocol units. Throws ValidationError for `amount`. */
function amountIn(amount: string, token: TokenFacts): { raw: bigint; protocol: bigint } {
  const parsed = parseHuman(amount, token.decimals)
  if (!parsed.ok) throw ValidationError.of('amount', `is refused: ${parsed.message}`)
  const converted = rawToProtocol(parsed.raw, token.decimals)
  if (!converted.ok) throw ValidationError.of('amount', `is refused: ${converted.message}`)
  return { raw: parsed.raw, protocol: converted.amount }
}

function createIssues(
  address: z.output<typeof Address>,
  { token, settings }: CreateState,
  amount: { readonly raw: bigint; readonly protocol: bigint } | undefined,
): Issue[] {
  if (token === undefined || amount === undefined) return [tokenNotApproved(address)]
  // With a minimum of 0 the contract would accept an amount of 0, and panic when somebody subscribes. The least is one unit of the
  // token, or of the protocol where that is larger.
  const leastRaw = minimumRaw(token.minimum, token.decimals) || toRaw(1n, token.decimals) || 1n
  const tooLow: Issue = {
    code: 'AMOUNT_BELOW_MINIMUM',
    message: `The amount is below the token's minimum of ${inWords(leastRaw, token)}.`,
    given: quantityFact(amount.raw, token),
    minimum: quantityFact(leastRaw, token),
  }
  const { decimals } = token
  const most = largestPayable({ callerFee: settings.callerFee, decimals })
  const mostRaw = toRaw(most, decimals)
  const unpayable: Issue = {
    code: 'AMOUNT_UNPAYABLE',
    message:
      `Nobody can ever subscribe at this price: the contract's arithmetic overflows on amounts above ` +
      `${inWords(mostRaw, token)}.`,
    given: quantityFact(amount.raw, token),
    most: quantityFact(mostRaw, token),
  }
  return [
    ...tokenIssues(token),
    ...(amount.raw < leastRaw ? [tooLow] : []),
    ...(amount.protocol > most ? [unpayable] : []),
  ]
}

function createContext(
  { token }: CreateState,
  amountRaw: bigint | undefined,
  nextDue: number | null,
): z.output<typeof CreateContext> {
  const known = token === undefined || amountRaw === undefined ? undefined : { token, amountRaw }
  return {
    token: token === undefined ? null : toToken(token),
    amount: known === undefined ? null : quantity(known.amountRaw, known.token),
    minimum: token === undefined ? null : quantity(minimumRaw(token.minimum, token.decimals), token),
    nextDue: toDayOrNull(nextDue ?? undefined),
  }
}
