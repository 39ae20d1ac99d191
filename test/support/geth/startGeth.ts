import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Guarded, startGuarded } from '@remit/devchain/testing/chain/guarded'
import { findProgram } from '../programs/installed.ts'
import { type GenesisOptions, genesisOf } from './genesis.ts'

/** The path of geth, or `undefined` where it is not installed. Suites over it are written with `describeGeth`. */
export function findGeth(): string | undefined {
  return findProgram('geth')
}

/** What a node refuses or cuts, as its operator sets it. Left out, it is geth's own default. */
export interface GethLimits {
  /** Gas of an eth_call, and of all calls of one eth_simulateV1 together. */
  readonly gasCap?: number
  /** Items of a batch. */
  readonly batchItems?: number
  /** Blocks of one eth_getLogs. */
  readonly logRange?: number
}

export interface Geth extends Pick<Guarded, 'exited' | 'stop'> {
  readonly url: string
  /** Where the Engine API listens, for callers who show a token signed with the secret. */
  readonly engineUrl: string
  readonly secret: Uint8Array
}

/** Starts a geth with a genesis of its own, whose blocks come by the Engine API and in no other way. */
export async function startGeth(options: GenesisOptions & { readonly limits?: GethLimits }): Promise<Geth> {
  const program = findGeth()
  if (program === undefined) throw new Error('geth is not installed')
  const folder = mkdtempSync(join(tmpdir(), 'remit-geth-'))
  const secret = randomBytes(32)
  writeFileSync(join(folder, 'secret'), secret.toString('hex'))
  const printed = execFileSync(program, ['--dev', 'dumpgenesis'], { encoding: 'utf8', stdio: 'pipe' })
  const genesis = genesisOf(JSON.parse(printed), options)
  writeFileSync(join(folder, 'genesis.json'), JSON.stringify(genesis))
  const flags: Readonly<Record<string, string | number | undefined>> = {
    datadir: folder,
    'override.genesis': join(folder, 'genesis.json'),
    networkid: options.chainId,
    // Every block's state is kept: tests go back to any of them.
    gcmode: 'archive',
    'state.scheme': 'hash',
    syncmode: 'full',
    'http.port': 0,
    'http.api': 'eth,net,web3,txpool,debug,testing',
    'authrpc.port': 0,
    'authrpc.jwtsecret': join(folder, 'secret'),
    port: 0,
    maxpeers: 0,
    cache: 64,
    'txpool.pricelimit': 1,
    'miner.gasprice': 0,
    'miner.gaslimit': options.gasLimit,
    'rpc.txfeecap': 0,
    'rpc.gascap': options.limits?.gasCap,
    'rpc.batch-request-limit': options.limits?.batchItems,
    'rpc.rangelimit': options.limits?.logRange,
  }
  const set = Object.entries(flags).flatMap(([name, value]) =>
    value === undefined ? [] : [`--${name}=${value}`],
  )
  const command = [program, ...set, '--http', '--ipcdisable', '--nodiscover', '--nat=none']
  const guarded = startGuarded('geth', command, folder)
  try {
    const [http, engine] = await Promise.all([
      guarded.says(/HTTP server started\s+endpoint=(\S+) auth=false/),
      guarded.says(/HTTP server started\s+endpoint=(\S+) auth=true/),
    ])
    const { exited, stop } = guarded
    return { url: `http://${http[1]}`, engineUrl: `http://${engine[1]}`, secret, exited, stop }
  } catch (error) {
    await guarded.stop()
    throw error
  }
}
