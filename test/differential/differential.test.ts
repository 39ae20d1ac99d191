import { describe } from 'vitest'
import { useTestChain } from '../support/chain/useTestChain.ts'
import { trials } from '../support/runner/trials.ts'
import { DIFFERENTIAL_TERMS, differential } from './differential.ts'

/** `DIFFERENTIAL_SEEDS=7,8 DIFFERENTIAL_STEPS=1000` for other runs, or for one that failed. */
const seeds =
  process.env.DIFFERENTIAL_SEEDS?.split(',').map(Number) ??
  Array.from({ length: trials({ short: 1, nightly: 20 }) }, (_, index) => index + 1)
const steps = Number(process.env.DIFFERENTIAL_STEPS ?? trials({ short: 40, nightly: 460 }))

describe('what is prepared succeeds as promised, and what is refused by name the chain refuses too', async () => {
  const chain = await useTestChain({ terms: DIFFERENTIAL_TERMS })
  await differential(
    chain,
    seeds.map((seed) => ({ name: `seed ${seed}`, seed, steps })),
  )
})
