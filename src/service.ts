import packageJson from '../package.json' with { type: 'json' }
import { Chains } from './chain/Chains.ts'
import type { Config } from './config.ts'
import { everybodyFree, unmetered } from './core/access.ts'
import { noHistory } from './core/history.ts'
import type { Log } from './core/log.ts'
import { createPipeline } from './core/pipeline.ts'
import type { ServicePort } from './core/service.ts'
import { operations } from './operations/index.ts'
import { openStore, type Store } from './store/openStore.ts'
import { createApp } from './surfaces/app.ts'
import { catalogRoutes } from './surfaces/catalog/catalogRoutes.ts'
import { startServer } from './surfaces/http/server.ts'

export const VERSION = packageJson.version

export interface RunningService {
  /** Where it listens, as a client on this machine reaches it. Without a slash at its end. */
  readonly url: string
  readonly port: number
  /** Takes nothing new, finishes what is running within the configured time, and lets go of the chains. */
  close(): Promise<void>
}

/** Wires the rooms together and listens. Resolves once requests are answered. */
export async function startService(config: Config, log: Log): Promise<RunningService> {
  const store = await openStore(config.databaseUrl)
  try {
    return await startOver(store, config, log)
  } catch (error) {
    await store.close()
    throw error
  }
}

async function startOver(store: Store, config: Config, log: Log): Promise<RunningService> {
  const { host, port, rpcTimeoutMs, defaultChainId } = config
  const chains = new Chains({ entries: config.chains, defaultChainId, rpcTimeoutMs, log })
  let draining = false
  let listening: string | undefined

  const service: ServicePort = {
    version: VERSION,
    get publicUrl() {
      return config.publicUrl ?? listening ?? ''
    },
    apiEnabled: config.apiEnabled,
    developerKeysEnabled: false,
    limits: { free: null, developer: null },
    chains,
    draining: () => draining,
    routes: () => catalogRoutes(operations),
  }
  const pipeline = createPipeline({
    identities: everybodyFree,
    charging: unmetered,
    chains,
    history: noHistory,
    service,
  })
  const app = createApp({
    operations,
    pipeline,
    log,
    server: { name: 'remit', version: VERSION },
    host,
    allowedHosts: config.allowedHosts,
    corsOrigins: config.corsOrigins,
    publicUrl: config.publicUrl,
  })

  const server = await startServer({ fetch: app.fetch, refuse: app.refuse, host, port })
  listening = server.url
  // Only now: a port that is taken stops the start before any chain is asked.
  chains.start()
  return {
    url: server.url,
    port: server.port,
    async close() {
      draining = true
      await server.close(config.shutdownTimeoutMs)
      await app.close()
      chains.stop()
      await store.close()
    },
  }
}
