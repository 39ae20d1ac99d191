import * as z from 'zod'
import { defineOperation } from '../../../core/operation.ts'
import { SimulationFailedError } from '../../../errors/prepare.ts'
import { Address } from '../../../schema/address.ts'
import { providerProfile } from '../../../schema/text.ts'
import { answerPrepare } from '../answer/answerPrepare.ts'
import { prepareOptions } from '../answer/options.ts'
import { protocolCall } from '../answer/plannedCall.ts'
import { prepareAnswer } from '../answer/prepareAnswer.ts'
import { prepareText } from '../answer/prepareText.ts'

const ProfileContext = z.object({ provider: Address })

/** Prepares a provider's profile. It is stored in the chain's logs; the latest one counts. */
export const prepareEditProviderDetails = defineOperation({
  name: 'prepare_edit_provider_details',
  effect: 'prepare',
  scope: 'chain',
  summary: 'Prepare a provider’s own profile, replacing the previous one',
  description: 'Anybody may publish anything; nothing is checked. Every field is replaced.',
  rest: { method: 'POST', path: '/prepare/edit_provider_details' },
  tool: {
    profiles: ['provider'],
    text: prepareText,
  },
  buckets: ['write'],
  errors: [SimulationFailedError],
  input: z.object({ ...providerProfile, ...prepareOptions }),
  output: prepareAnswer(ProfileContext, ProfileContext),
  async handle({ input, chain, requestId }) {
    const { from, description, company, url, domain, email, misc } = input
    const { nativeBalance } = await chain.read.signer(from)
    const profile = { description, company, url, domain, email, misc }
    return answerPrepare(
      { chain, requestId },
      {
        operation: 'edit_provider_details',
        input,
        issues: [],
        warnings: [],
        nativeBalance,
        preflight: { provider: from },
        details: { provider: from },
        batches: () => [
          [
            protocolCall(
              chain.contractAddress,
              'editProvDetails',
              [profile],
              `replace the provider profile of ${from}`,
            ),
          ],
        ],
      },
    )
  },
})
