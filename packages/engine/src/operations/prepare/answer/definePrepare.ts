import { formatHuman, parseHuman, toRaw } from '@remit/protocol/amounts'
import { dueDayRange, type Frequency, frequencyLabel, isDueDay } from '@remit/protocol/subscription'
import type { Hex } from 'viem'
import * as z from 'zod'
import { type ChainOperation, defineOperation, type ToolProfile } from '../../../declare/operation.ts'
import type { ErrorClass, Fact } from '../../../errors/base.ts'
import { SubscriptionNotFoundError } from '../../../errors/chain.ts'
import { ValidationError } from '../../../errors/input.ts'
import { NotReadyError, SimulationFailedError, SubscriptionMismatchError } from '../../../errors/prepare.ts'
import type { SubscriptionState } from '../../../ports/chainReads.ts'
import type { ChainView } from '../../../ports/chains.ts'
import { amountText, listText } from '../../../presentation/subscriptionText.ts'
import { HumanAmount } from '../../../schema/amount.ts'
import type { Issue } from '../../../schema/envelope.ts'
import { Address, SubscriptionId } from '../../../schema/hex.ts'
import { FrequencyNumber } from '../../../schema/numbers.ts'
import { AuthorizationToSign, PermitToSign } from '../../../schema/signed.ts'
import { type anyPrepare, assertPaymaster } from './options.ts'
import {
  type AnyPrepare,
  type AnyReadiness,
  answerPrepare,
  authorizationField,
  type Findings,
  permitField,
  prepareAnswer,
  UnsignedTransaction,
} from './prepareAnswer.ts'

// A prepare is an operation that answers unsigned transactions, which a wallet signs and sends. Its `plan` reads the chain and finds
// what prevents the transaction (issues), what to warn of, and the calls. `answerPrepare` (prepareAnswer.ts) then proves the calls by
// simulation, or with `readinessOnly` says only whether it would work. `definePrepare` declares one such operation,
// `prepareBothForms` the two about a subscription: named by its id, and with its terms. Before them stand the fields of input that
// prepares share, and behind them a prepare's text for agents.

/** A due day in a request. Its bounds depend on the frequency beside it, so `checkDueDay` checks them. */
export const DueDay = z
  .int()
  .describe('Weekly 1-7 (Monday is 1), monthly 1-28, quarterly 1-90, yearly 1-365; never shifted.')

/** Refuses a due day that no subscription of its frequency can have. */
export function checkDueDay(
  { frequency, dueDay }: { readonly frequency: Frequency; readonly dueDay: number },
  context: z.RefinementCtx,
): void {
  if (isDueDay(frequency, dueDay)) return
  const { min, max } = dueDayRange(frequency)
  context.addIssue({
    code: 'custom',
    path: ['dueDay'],
    message: `must be ${min} to ${max} for a ${frequencyLabel(frequency)} subscription`,
  })
}

/** A subscription with the terms that the caller expects. */
const GivenSubscription = z
  .strictObject({
    id: SubscriptionId,
    amount: HumanAmount.describe('One period’s price in human units of the token, such as "10".'),
    provider: Address,
    token: Address.describe('The ERC-20 contract.'),
    cancelled: z.boolean().optional().describe('Not compared if omitted.'),
    frequency: FrequencyNumber,
    dueDay: DueDay,
  })
  .superRefine(checkDueDay)
  .describe('The terms as the caller knows them. They are only compared with the chain’s.')

type GivenSubscription = z.output<typeof GivenSubscription>

/** The subscription of a request: by its id alone, or with terms that must equal the chain's. */
export interface NamedSubscription {
  readonly id: Hex
  readonly given?: GivenSubscription
}

/**
 * Compares the given terms, where there are any, with the chain's.
 *
 * Throws SubscriptionMismatchError naming each field that differs; ValidationError for an amount of more digits
 * than the token has.
 */
export function expectTerms({ given }: NamedSubscription, { terms, token }: SubscriptionState): void {
  if (given === undefined) return
  const raw = toRaw(terms.amount, token.decimals)
  const amount = parseHuman(given.amount, token.decimals)
  // For another token than the chain's, more digits may be right. That mismatch is reported below.
  if (!amount.ok && given.token === terms.token) {
    throw ValidationError.of('subscription.amount', `is refused: ${amount.message}`)
  }
  const issues = [
    differing('amount', given.amount, formatHuman(raw, token.decimals), amount.ok && amount.raw === raw),
    differing('provider', given.provider, terms.provider),
    differing('token', given.token, terms.token),
    differing('cancelled', given.cancelled ?? terms.cancelled, terms.cancelled),
    differing('frequency', given.frequency, terms.frequency),
    differing('dueDay', given.dueDay, terms.dueDay),
  ].flatMap((issue) => issue ?? [])
  if (issues.length > 0) throw new SubscriptionMismatchError(issues)
}

function differing(field: string, given: Fact, actual: Fact, isSame = given === actual): Issue | undefined {
  if (isSame) return undefined
  const message = `The subscription's ${field} is ${actual} on chain; ${given} was given.`
  return { path: `subscription.${field}`, message, given, actual }
}

/** The errors of every prepare that has preconditions. */
export const prepareErrors: readonly ErrorClass[] = [NotReadyError, SimulationFailedError]

interface Prepare<Input extends z.ZodObject, Preflight extends z.ZodObject, Details extends z.ZodObject> {
  /** `prepare_` and the last word of its path. */
  readonly name: string
  readonly summary: string
  readonly description: string
  readonly profiles: readonly ToolProfile[]
  /** Answered in a thread of its own, where the process has one. */
  readonly inThread?: true
  /** Its row in ACCESS (declare/access.ts). Default `write`; `signed` where the input holds a signature, which no log may hold. */
  readonly access?: 'signed'
  /** Default: those of every prepare. */
  readonly errors?: readonly ErrorClass[]
  /** The options of a prepare, and what this one is about. */
  readonly input: Input
  /** What the preparation found on chain. */
  readonly preflight: Preflight
  /** The same for `readinessOnly`. Default: the preflight. */
  readonly details?: Details
  /** Finds what it needs: failing preconditions, and the calls. */
  plan(asked: {
    readonly input: z.output<Input>
    readonly chain: ChainView
  }): Promise<Findings<z.output<Preflight>, z.output<Details>>>
}

/** Declares a prepare. What its plan finds is answered as unsigned transactions with their proof, or as a readiness. */
export function definePrepare<
  Input extends z.ZodObject<typeof anyPrepare>,
  Preflight extends z.ZodObject,
  Details extends z.ZodObject = Preflight,
>(typed: Prepare<Input, Preflight, Details>): ChainOperation {
  // Safe: the plan is given what its own input has decoded, and its findings are encoded by its own schemas.
  const { preflight, profiles, plan, ...declared } = typed as unknown as Prepare<
    z.ZodObject<typeof anyPrepare>,
    z.ZodObject,
    z.ZodObject
  >
  return defineOperation({
    errors: prepareErrors,
    access: 'write',
    ...declared,
    effect: 'prepare',
    kind: 'prepare',
    rest: { method: 'POST', path: declared.name.replace('prepare_', '/prepare/') },
    tool: { profiles, text: prepareText },
    output: prepareAnswer(preflight, declared.details ?? preflight, {
      ...('permit' in typed.input.shape && permitField),
      ...('authorization' in typed.input.shape && authorizationField),
    }),
    async handle({ input, chain, requestId }) {
      assertPaymaster(input, chain)
      return answerPrepare({ chain, requestId }, { ...(await plan({ input, chain })), input })
    },
  })
}

/** One of the two forms of an operation about a subscription, without what it answers. */
interface Form<Fields extends z.ZodRawShape> {
  readonly name: string
  readonly summary: string
  readonly description: string
  readonly profiles: readonly ToolProfile[]
  /** The errors of a subscription that does not exist, or has other terms. */
  readonly errors: readonly ErrorClass[]
  /** Whether the input has the subscription's id alone: for a definition that differs between the forms. */
  readonly isById: boolean
  /** The input, with the subscription's `id` or with its terms. */
  readonly input: z.ZodObject<Fields>
  /** The subscription that an input names. */
  named(input: object): NamedSubscription
}

/** What the two forms have in common. */
interface BothForms<Fields extends z.ZodRawShape>
  extends Pick<Form<Fields>, 'name' | 'summary' | 'description' | 'profiles'> {
  readonly summaryOfTerms: string
  /** The input beside the subscription. */
  readonly fields: Fields
  check?(input: z.output<z.ZodObject<Fields>>, context: z.RefinementCtx): void
}

/**
 * Declares both forms of an operation about a subscription: by its id, and for a caller who states the terms, which must be
 * the chain's.
 * @param common `name` and `summaryOfTerms` are those of the form with terms
 */
export function bothForms<Fields extends z.ZodRawShape>(
  common: BothForms<Fields>,
  define: (form: Form<Fields>) => ChainOperation,
): { readonly byId: ChainOperation; readonly ofTerms: ChainOperation } {
  const { name, summary, summaryOfTerms, description, profiles, fields, check = () => {} } = common
  // Safe: both have all fields beside their own.
  const inputOf = (own: z.ZodRawShape) =>
    z.object({ ...own, ...fields }).superRefine(check as () => void) as unknown as z.ZodObject<Fields>
  const ById = z.object({ id: SubscriptionId })
  const OfTerms = z.object({ subscription: GivenSubscription })
  return {
    byId: define({
      name: `${name}_by_id`,
      isById: true,
      summary,
      description,
      profiles,
      errors: [SubscriptionNotFoundError],
      input: inputOf(ById.shape),
      named: (input) => ({ id: (input as z.output<typeof ById>).id }),
    }),
    ofTerms: define({
      name,
      isById: false,
      summary: summaryOfTerms,
      description: `As ${name}_by_id, which is enough where only the id is known.`,
      profiles: [],
      errors: [SubscriptionNotFoundError, SubscriptionMismatchError],
      input: inputOf(OfTerms.shape),
      named(input) {
        const { subscription: given } = input as z.output<typeof OfTerms>
        return { id: given.id, given }
      },
    }),
  }
}

/** Declares both forms of a prepare. Their `errors` stand beside those of a subscription; default: those of every prepare. */
export function prepareBothForms<
  Fields extends typeof anyPrepare,
  Preflight extends z.ZodObject,
  Details extends z.ZodObject = Preflight,
>(
  { errors: own = prepareErrors, ...common }: BothForms<Fields> & { readonly errors?: readonly ErrorClass[] },
  {
    plan,
    ...answer
  }: Pick<Prepare<z.ZodObject<Fields>, Preflight, Details>, 'preflight' | 'details'> & {
    plan(
      chain: ChainView,
      named: NamedSubscription,
      input: z.output<z.ZodObject<Fields>>,
    ): Promise<Findings<z.output<Preflight>, z.output<Details>>>
  },
) {
  return bothForms(common, ({ named, errors, isById: _, ...form }) =>
    definePrepare({
      ...form,
      ...answer,
      errors: [...errors, ...own],
      plan: ({ input, chain }) => plan(chain, named(input), input),
    }),
  )
}

/**
 * A prepare in a few words, with its complete unsigned transactions.
 *
 * They stand here as in the answer, because an agent that reads only text must give them to a wallet.
 */
export function prepareText(answer: AnyPrepare): string {
  const {
    operation,
    unsignedTransactions,
    ready = false,
    unproven = false,
    issues = [],
    instructions,
    permit,
    authorization,
  } = answer
  // Neither transactions nor a readiness: what was asked for is so already, or is to be signed as typed data (a permit or an
  // authorization) in place of a transaction.
  if (unsignedTransactions === undefined && answer.ready === undefined) {
    const typed =
      permit !== undefined
        ? z.encode(PermitToSign, permit)
        : authorization && z.encode(AuthorizationToSign, authorization)
    const signed = typed === undefined ? [] : ['To sign:', JSON.stringify(typed)]
    return [`${operation}: nothing to send.`, ...numbered(instructions), ...signed].join('\n')
  }
  if (unsignedTransactions === undefined) {
    return readinessLines({ operation, ready, unproven, issues, instructions }).join('\n')
  }
  const changes = answer.simulation?.balanceChanges ?? []
  // As JSON, with amounts as text: what a wallet takes.
  const wire = unsignedTransactions.map((transaction) =>
    JSON.stringify(z.encode(UnsignedTransaction, transaction)),
  )
  return [
    `${operation}: proven at block ${answer.simulation?.blockNumber}, to be signed before ${answer.formattedValidUntil}.`,
    ...listText(changes.map(({ account, token, ...change }) => `${account}: ${amountText(change, token)}`)),
    `Gas about ${answer.gasSummary?.totalEstimatedCostEth} ETH.`,
    ...numbered(instructions),
    'Unsigned transactions, in order:',
    ...wire,
  ].join('\n')
}

function numbered(steps: readonly string[]): string[] {
  return steps.map((step, index) => `${index + 1}. ${step}`)
}

/** A readiness in a few words: ready, with the next steps, or not ready, with each issue by its code, or by its field where it has none. */
export function readinessLines({
  operation,
  ready,
  unproven,
  issues,
  instructions,
}: Pick<AnyReadiness, 'operation' | 'ready' | 'unproven' | 'issues' | 'instructions'>): string[] {
  if (ready) {
    const untried = unproven ? ' Unproven: not all of it could be run, so a prepare can still fail.' : ''
    return [`${operation}: ready.${untried}`, ...instructions]
  }
  return [
    `${operation}: not ready.`,
    ...issues.map(({ code, path, message }) => `- ${code ?? path ?? ''}: ${message}`),
  ]
}
