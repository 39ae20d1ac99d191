import { runBundled } from '../support/programs/program.ts'
import { useBundle } from '../support/programs/useBundle.ts'

/** `npm start` on free ports, as an example's reader runs it, and what its commands need to be told of that. */
export async function startDevnetService(environment: Record<string, string> = {}) {
  const program = runBundled(await useBundle('packages/devchain/src/main.ts'), [], {
    PORT: '0',
    DEVNET_PORT: '0',
    ...environment,
  })
  const [, rest = '', mcp = '', rpc = ''] = await program.says(
    /Remit is ready: REST (\S+), MCP (\S+), chain 31337 at (\S+)/,
  )
  return { rest, mcp, rpc, environment: { REMIT_URL: rest, MCP_URL: mcp, RPC_URL: rpc } }
}
