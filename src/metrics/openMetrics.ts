import { Metrics } from './Metrics.ts'
import { startMetricsServer } from './metricsServer.ts'
import { addStateGauges, type ServiceState } from './stateGauges.ts'

/** The metrics of a service that has a port for them. */
export interface OpenMetrics {
  /** To be told what happens. */
  readonly metrics: Metrics
  readonly port: number
  /** Lets Prometheus see what the service knows of itself, once there is a service. */
  watch(state: ServiceState): void
  /** Answers on, each time as the connection's last answer. */
  drain(): void
  close(): Promise<void>
}

/** Counts, and serves what was counted. Throws what node throws where the port is taken. */
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
