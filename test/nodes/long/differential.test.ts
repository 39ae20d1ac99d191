import { describe } from 'vitest'
import { DIFFERENTIAL_TERMS, differential } from '../../differential/differential.ts'
import { useTestChain } from '../../support/chain/useTestChain.ts'
import { trials } from '../../support/runner/trials.ts'
import { chosenProfiles } from '../profiles/profiles.ts'
import { startProfileNode } from '../profiles/startProfileNode.ts'

describe('over every kind of node, what is prepared succeeds as promised as far as it was proven', async () => {
  const chain = await useTestChain({ terms: DIFFERENTIAL_TERMS })
  const steps = trials({ short: 10, nightly: 200 })
  await differential(
    chain,
    chosenProfiles().map((profile) => ({
      name: profile.name,
      seed: 21,
      steps,
      startNode: () => startProfileNode(chain.url, profile),
    })),
  )
})
