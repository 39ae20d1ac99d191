/** `npm start`: a development chain with a seeded history, and a service over it, in one process. */
import { randomBytes } from 'node:crypto'
import { ConfigError } from '@remit/service/configuration/ConfigError'
import { loadConfig, multipliedLimits } from '@remit/service/configuration/loadConfig'
import { misspellings } from '@remit/service/configuration/misspellings'
import { type Environment, reader } from '@remit/service/configuration/reader'
import { DEVELOPMENT } from '@remit/service/configuration/variables/commands'
import { secretsOf } from '@remit/service/processes/logLines'
import { runUntilSignalled } from '@remit/service/processes/runUntilSignalled'
import { startService } from '@remit/service/processes/service'
import { announce, openDevServicesFolder } from './announce.ts'
import { type Devnet, startDevnet } from './startDevnet.ts'
import { openStartLog } from './startLog.ts'
import { TEST_WALLETS } from './story/cast.ts'

/** The development service has high limits, so that nobody waits for one while trying things out. */
const LIMITS_FACTOR = 100

/** What a service must know about a development chain. */
type ServedDevnet = Pick<
  Devnet,
  'chainId' | 'url' | 'contractAddress' | 'firstBlock' | 'tokens' | 'cachePath'
>

/** The environment of a service for a development chain, which is its only chain and the default. */
export function environmentOver(devnet: ServedDevnet, environment: Environment): Environment {
  const { chainId, url, contractAddress, firstBlock, tokens, cachePath } = devnet
  return {
    ...environment,
    ...unset(environment, {
      HOST: '127.0.0.1',
      // A page under development is served from another port of this machine.
      API_CORS_ALLOWED_ORIGINS: 'loopback',
      PORTAL: 'open',
      // Whoever has no wallet can try the pages all the same.
      TEST_WALLET: TEST_WALLETS.join(),
      PASSES: 'on',
      RESCUES: 'on',
      // On a due day, members would have no pass until somebody calls remit.
      PASS_GRACE_DAYS: '3',
      WEBHOOKS: 'true',
      SECRETS_KEY: randomBytes(32).toString('base64url'),
      // Somebody who tries the portal out makes more keys than a developer does.
      LIMIT_NEW_KEYS_DAILY: '500',
      // A new chain needs a new store. In this folder it is deleted when the chain ends.
      DATABASE_URL: `file:${cachePath}/remit.db`,
      ...multipliedLimits(LIMITS_FACTOR),
    }),
    DEFAULT_REST_CHAIN_ID: String(chainId),
    [`RPC_URL_${chainId}`]: url,
    [`CONTRACT_ADDRESS_${chainId}`]: contractAddress,
    [`START_BLOCK_${chainId}`]: String(firstBlock),
    [`CHAIN_NAME_${chainId}`]: 'Development chain',
    [`TOKENS_${chainId}`]: Object.values(tokens).join(','),
  }
}

/** Those of the variables that the environment does not set. */
function unset(environment: Environment, variables: Environment): Environment {
  return Object.fromEntries(Object.entries(variables).filter(([name]) => !environment[name]?.trim()))
}

/** What the last line of the start says of the admin secret: nothing where it is configured, as the operator knows it then. */
function adminSecretIn({ DEVELOPER_KEYS_ADMIN_SECRET: secret }: Environment): string {
  return secret === undefined ? '' : `, admin secret ${secret}`
}

/** The folder of runs. If the home folder cannot be written to, the run goes on, and commands need `--url` and `--rpc`. */
function tryToOpen(): string | undefined {
  try {
    return openDevServicesFolder()
  } catch {
    return undefined
  }
}

if (import.meta.filename === process.argv[1]) {
  await runUntilSignalled(async (say) => {
    const port = reader(process.env).one(DEVELOPMENT.devnetPort)
    const devnet = await startDevnet({ port }).catch((error: unknown) => {
      if (!(error instanceof Error) || !/already in use/i.test(error.message)) throw error
      const advice = 'set DEVNET_PORT to another one, or to 0 for any free one'
      throw new ConfigError(`Port ${port} is taken: ${advice}.`, { cause: error })
    })
    const made = { DEVELOPER_KEYS_ADMIN_SECRET: randomBytes(24).toString('base64url') }
    const secret = unset(process.env, made)
    try {
      const config = loadConfig(environmentOver(devnet, { ...process.env, ...secret }))
      const folder = tryToOpen()
      const log = openStartLog(folder, config.logLevel, secretsOf(config))
      for (const sentence of misspellings(process.env)) log.warn(sentence)
      const service = await startService(config, log, {
        onListening: (listening) => {
          say(`listening on ${listening}`)
          if (log.path !== undefined) say(`Requests are logged to ${log.path}`)
        },
      })
      const { url } = service
      const { chainId, url: rpcUrl } = devnet
      const facts = { url, mcpUrl: `${url}/mcp`, rpcUrl, chainId }
      const withdraw = folder === undefined ? undefined : announce(folder, facts)
      return {
        whenReady: service.ready,
        ready: `Remit is ready: REST ${service.url}, MCP ${service.url}/mcp, chain ${devnet.chainId} at ${devnet.url} (limits × ${LIMITS_FACTOR} where LIMIT_<LANE>_<BUCKET> does not set them)${adminSecretIn(secret)}`,
        failed: Promise.race([devnet.exited, service.indexing.failed]),
        indexing: service.indexing,
        close: async () => {
          withdraw?.()
          await service.close()
          await devnet.stop()
        },
      }
    } catch (error) {
      await devnet.stop()
      throw error
    }
  })
}
