import type { Address, Hex } from 'viem'
import type { Api, PrepareEditDetailsAnswer, PrepareEditProviderDetailsAnswer } from '../../generated/api.ts'
import { MissingEventError } from '../errors.ts'
import type { Conclusion, FlowDefinition, FlowRequest } from '../send/FlowDefinition.ts'
import { type ReadinessOf, readinessIn } from './Flow.ts'

export interface EditDetailsRequest extends FlowRequest {
  readonly id: Hex
  readonly details: { readonly url: string; readonly description: string }
}

/** What a provider says of itself: every field is replaced. */
export interface EditProviderDetailsRequest extends FlowRequest {
  readonly description: string
  readonly company: string
  readonly url: string
  readonly domain: string
  readonly email: string
  readonly misc: string
}

export interface DetailsEdited {
  readonly subscriptionId: Hex
}

export interface ProviderDetailsEdited {
  readonly provider: Address
}

/** Replacing the url and description of a subscription, by its provider. */
export function defineEditDetails(
  api: Api,
  { id, details, chainId, paymasterUrl }: EditDetailsRequest,
): FlowDefinition<PrepareEditDetailsAnswer, DetailsEdited, ReadinessOf<PrepareEditDetailsAnswer>> {
  const { url, description } = details
  const asked = { id, details: { url, description }, chainId }
  return {
    readiness: (from, options) =>
      readinessIn(api.prepareEditDetails({ ...asked, from, readinessOnly: true }, options)),
    prepare: (from, options) => api.prepareEditDetails({ ...asked, from, paymasterUrl }, options),
    conclusion: async ({ account }) => detailsConclusion(id, account),
  }
}

function detailsConclusion(id: Hex, account: Address): Conclusion<DetailsEdited> {
  return {
    conclude({ events }) {
      // The contract accepts the call from anybody, and ignores it unless it comes from the provider.
      const edited = events.some(
        (event) => event.event === 'DetailsLog' && event.args.id.toLowerCase() === id.toLowerCase(),
      )
      if (!edited) throw new MissingEventError(`new details of ${id}`, account)
      return { subscriptionId: id }
    },
  }
}

/** Replacing what a provider says of itself. */
export function defineEditProviderDetails(
  api: Api,
  { description, company, url, domain, email, misc, chainId, paymasterUrl }: EditProviderDetailsRequest,
): FlowDefinition<
  PrepareEditProviderDetailsAnswer,
  ProviderDetailsEdited,
  ReadinessOf<PrepareEditProviderDetailsAnswer>
> {
  const profile = { description, company, url, domain, email, misc }
  return {
    readiness: (from, options) =>
      readinessIn(
        api.prepareEditProviderDetails({ ...profile, from, chainId, readinessOnly: true }, options),
      ),
    prepare: (from, options) =>
      api.prepareEditProviderDetails({ ...profile, from, chainId, paymasterUrl }, options),
    conclusion: async ({ account }) => profileConclusion(account),
  }
}

function profileConclusion(account: Address): Conclusion<ProviderDetailsEdited> {
  return {
    conclude({ events }) {
      const edited = events.some(
        ({ event, args }) =>
          event === 'ProvDetailsLog' && args.provider.toLowerCase() === account.toLowerCase(),
      )
      if (!edited) throw new MissingEventError('a new profile', account)
      return { provider: account }
    },
  }
}
