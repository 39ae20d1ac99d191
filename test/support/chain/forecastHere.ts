import type { ForecastTimes } from '@remit/engine/chain/Forecasts'
import { makeForecast } from '@remit/engine/operations/outlook/makeForecast'
import type { ChainsPort } from '@remit/engine/ports/chains'
import type { Forecaster } from '@remit/engine/ports/forecasts'

/** Makes forecasts in the thread of the test, over the chains that the test has opened. */
export function forecastHere(chains: () => Pick<ChainsPort, 'withView'>): Forecaster {
  return {
    make: ({ chainId, block, lastDay }) =>
      chains().withView(chainId, { block }, (view) => makeForecast(view, lastDay)),
  }
}

/** A test acts on its chain: what it did shall be foreseen in the next answer. */
export const OF_EACH_BLOCK: Partial<ForecastTimes> = { everyMs: 0, patienceMs: 10_000 }
