import { Metrics } from './Metrics.ts'
import { type MetricsPlace, startMetricsServer } from './metricsServer.ts'
import { addChainGauges, addServerGauges, type ChainsState, type ServerState } from './stateGauges.ts'

export interface OpenMetrics {
  /** Observes requests, chains and limits. */
  readonly metrics: Metrics
  readonly port: number
  watchChains(state: ChainsState): void
  watchServer(state: ServerState): void
  /** Still answers, and closes each connection after its answer. */
  drain(): void
  close(): Promise<void>
}

/** Opens the metrics and the port that serves them. Throws what node throws where the port is taken. */
export async function openMetrics(
  options: MetricsPlace & { readonly version: string },
): Promise<OpenMetrics> {
  const metrics = new Metrics(options.version)
  const server = await startMetricsServer(metrics.registry, options)
  return {
    metrics,
    port: server.port,
    watchChains: (state) => addChainGauges(metrics.registry, state),
    watchServer: (state) => addServerGauges(metrics.registry, state),
    drain: () => server.drain(),
    close: () => server.close(),
  }
}
