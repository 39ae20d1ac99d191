import { Metrics } from './Metrics.ts'
import { startMetricsServer } from './metricsServer.ts'
import { addStateGauges, type ServiceState } from './stateGauges.ts'

/** The metrics of a service that has a port for them. */
export interface OpenMetrics {
  /** Observes requests, chains and limits. */
  readonly metrics: Metrics
  readonly port: number
  /** Adds the gauges of the running service. */
  watch(state: ServiceState): void
  /** Still answers, and closes each connection after its answer. */
  drain(): void
  close(): Promise<void>
}

/** Opens the metrics and the port that serves them. Throws what node throws where the port is taken. */
export async function openMetrics(options: {
  version: string
  host: string
  port: number
}): Promise<OpenMetrics> {
  const metrics = new Metrics(options.version)
  const server = await startMetricsServer(metrics.registry, options)
  return {
    metrics,
    port: server.port,
    watch: (state) => addStateGauges(metrics.registry, state),
    drain: () => server.drain(),
    close: () => server.close(),
  }
}
