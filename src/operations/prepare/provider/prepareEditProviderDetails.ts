import * as z from 'zod'
import { SimulationFailedError } from '../../../errors/prepare.ts'
import { Address } from '../../../schema/address.ts'
import { providerProfile } from '../../../schema/text.ts'
import { definePrepare } from '../answer/definePrepare.ts'
import { prepareOptions } from '../answer/options.ts'
import { protocolCall } from '../answer/plannedCall.ts'

const ProfileContext = z.object({ provider: Address })

/** Prepares a provider's profile. It is stored in the chain's logs; the latest one counts. */
export const prepareEditProviderDetails = definePrepare({
  name: 'prepare_edit_provider_details',
  summary: 'Prepare a provider’s own profile, replacing the previous one',
  description: 'Anybody may publish anything; nothing is checked. Every field is replaced.',
  profiles: ['provider'],
  errors: [SimulationFailedError],
  input: z.object({ ...providerProfile, ...prepareOptions }),
  preflight: ProfileContext,
  async plan({ input, chain }) {
    const { from, description, company, url, domain, email, misc } = input
    const { nativeBalance } = await chain.read.signer(from)
    const profile = { description, company, url, domain, email, misc }
    return {
      operation: 'edit_provider_details',
      issues: [],
      warnings: [],
      nativeBalance,
      preflight: { provider: from },
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
    }
  },
})
