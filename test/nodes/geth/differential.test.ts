import { DIFFERENTIAL_TERMS, differential } from '../../differential/differential.ts'
import { describeGeth } from '../../support/geth/describeGeth.ts'
import { trials } from '../../support/runner/trials.ts'

describeGeth(
  'over geth, what is prepared succeeds as promised, and what is refused by name geth refuses too',
  (chain) => differential(chain, [{ name: 'seed 11', seed: 11, steps: trials({ short: 20, nightly: 200 }) }]),
  { terms: DIFFERENTIAL_TERMS },
)
