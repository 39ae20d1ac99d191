import * as z from 'zod'
import { defineOperation, type Operation, type ToolProfile } from '../../../core/operation.ts'
import type { ChainView } from '../../../core/ports/chains.ts'
import type { ErrorClass } from '../../../errors/base.ts'
import { SubscriptionNotFoundError } from '../../../errors/chain.ts'
import { NotReadyError, SimulationFailedError, SubscriptionMismatchError } from '../../../errors/prepare.ts'
import { SubscriptionId } from '../../../schema/hash.ts'
import { GivenSubscription, type NamedSubscription } from './givenSubscription.ts'
import type { anyPrepare } from './options.ts'
import { answerPrepare, type Findings, prepareAnswer, prepareText } from './prepareAnswer.ts'

/** The errors of every prepare that has preconditions. */
export const prepareErrors: readonly ErrorClass[] = [NotReadyError, SimulationFailedError]

interface Prepare<Input extends z.ZodObject, Preflight extends z.ZodObject, Details extends z.ZodObject> {
  /** `prepare_` and the last word of its path. */
  readonly name: string
  readonly summary: string
  readonly description: string
  readonly profiles: readonly ToolProfile[]
  readonly apart?: true
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
>(typed: Prepare<Input, Preflight, Details>): Operation {
  // Safe: the plan is given what its own input has decoded, and its findings are encoded by its own schemas.
  const { preflight, profiles, plan, ...declared } = typed as unknown as Prepare<
    z.ZodObject<typeof anyPrepare>,
    z.ZodObject,
    z.ZodObject
  >
  return defineOperation({
    errors: prepareErrors,
    ...declared,
    effect: 'prepare',
    kind: 'prepare',
    access: 'write',
    rest: { method: 'POST', path: declared.name.replace('prepare_', '/prepare/') },
    tool: { profiles, text: prepareText },
    output: prepareAnswer(preflight, declared.details ?? preflight),
    async handle({ input, chain, requestId }) {
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
  /** That it is not there, or not as stated. */
  readonly errors: readonly ErrorClass[]
  /** With the subscription's `id`, or with its terms. */
  readonly input: z.ZodObject<Fields>
  named(input: object): NamedSubscription
}

/**
 * Declares both forms of an operation about a subscription: by its id, and for a caller who states the terms, which must be
 * the chain's.
 * @param common `name` and `summaryOfTerms` are those of the form with terms
 */
export function bothForms<Fields extends z.ZodRawShape>(
  common: Pick<Form<Fields>, 'name' | 'summary' | 'description' | 'profiles'> & {
    readonly summaryOfTerms: string
    /** The input beside the subscription. */
    readonly fields: Fields
    check?(input: z.output<z.ZodObject<Fields>>, context: z.RefinementCtx): void
  },
  define: (form: Form<Fields>) => Operation,
): { readonly byId: Operation; readonly ofTerms: Operation } {
  const { name, summary, summaryOfTerms, description, profiles, fields, check = () => {} } = common
  // Safe: both have all fields beside their own.
  const inputOf = (own: z.ZodRawShape) =>
    z.object({ ...own, ...fields }).superRefine(check as () => void) as unknown as z.ZodObject<Fields>
  const ById = z.object({ id: SubscriptionId })
  const OfTerms = z.object({ subscription: GivenSubscription })
  return {
    byId: define({
      name: `${name}_by_id`,
      summary,
      description,
      profiles,
      errors: [SubscriptionNotFoundError],
      input: inputOf(ById.shape),
      named: (input) => ({ id: (input as z.output<typeof ById>).id }),
    }),
    ofTerms: define({
      name,
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
