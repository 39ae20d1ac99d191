import { ConfigError, type Environment, loadConfig } from '../src/config.ts'
import { createLog } from '../src/log.ts'
import { runUntilSignalled } from '../src/main.ts'
import { startService } from '../src/service.ts'
import { type Devnet, startDevnet } from './chain.ts'

const DEFAULT_DEVNET_PORT = 8545

/** The service's environment over a development chain, which is the default chain and nobody's else. */
export function environmentOver(devnet: Devnet, environment: Environment): Environment {
  const { chainId, url, contractAddress, firstBlock, tokens, cachePath } = devnet
  return {
    HOST: '127.0.0.1',
    ...environment,
    // A new chain needs a new store; in this folder it goes when the chain goes, however that ends.
    DATABASE_URL: environment.DATABASE_URL || `file:${cachePath}/remit.db`,
    DEFAULT_REST_CHAIN_ID: String(chainId),
    [`RPC_URL_${chainId}`]: url,
    [`CONTRACT_ADDRESS_${chainId}`]: contractAddress,
    [`START_BLOCK_${chainId}`]: String(firstBlock),
    [`CHAIN_NAME_${chainId}`]: 'Development chain',
    [`TOKENS_${chainId}`]: Object.values(tokens).join(','),
  }
}

function devnetPort({ DEVNET_PORT: port = '' }: Environment): number {
  if (port === '') return DEFAULT_DEVNET_PORT
  if (/^\d{1,5}$/.test(port) && Number(port) <= 65_535) return Number(port)
  throw new ConfigError('DEVNET_PORT must be a whole number from 0 to 65535.')
}

if (import.meta.filename === process.argv[1]) {
  await runUntilSignalled(async () => {
    const port = devnetPort(process.env)
    const devnet = await startDevnet({ port }).catch((error: unknown) => {
      if (!(error instanceof Error) || !/already in use/i.test(error.message)) throw error
      const advice = 'set DEVNET_PORT to another one, or to 0 for any free one'
      throw new ConfigError(`Port ${port} is taken: ${advice}.`, { cause: error })
    })
    try {
      const config = loadConfig(environmentOver(devnet, process.env))
      const service = await startService(config, createLog(config.logLevel))
      return {
        ready: `Remit is ready: REST ${service.url}, MCP ${service.url}/mcp, chain ${devnet.chainId} at ${devnet.url}`,
        failed: devnet.exited,
        close: async () => {
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
