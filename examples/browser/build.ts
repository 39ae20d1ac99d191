/** `npx tsx examples/browser/build.ts [service]`: static files in dist/, for the service at this address. */
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { findDevService } from '@remit/client/development'
import { build } from 'esbuild'

const folder = import.meta.dirname

export interface PageOptions {
  /** Where the service is, without a slash at its end. */
  readonly service: string
  readonly outdir?: string
}

/**
 * The protocol's contract by chain id. Base and Base Sepolia are known to the client; this is the development
 * chain's, which has the same address on every machine.
 */
const CONTRACTS = { 31337: '0x5FbDB2315678afecb367f032d93F642f64180aa3' }

/** Builds the pages and returns the folder with them. */
export async function buildPages({ service, outdir = join(folder, 'dist') }: PageOptions): Promise<string> {
  mkdirSync(outdir, { recursive: true })
  await build({
    entryPoints: [join(folder, 'src/shop.ts'), join(folder, 'src/own.ts')],
    outdir,
    bundle: true,
    format: 'esm',
    target: 'es2022',
    minify: true,
    logLevel: 'warning',
    define: { REMIT_SERVICE: JSON.stringify(service), REMIT_CONTRACTS: JSON.stringify(CONTRACTS) },
  })
  for (const page of ['index.html', 'own.html']) {
    const html = readFileSync(join(folder, page), 'utf8')
    writeFileSync(join(outdir, page), html.replaceAll('%SERVICE%', service))
  }
  copyFileSync(join(folder, 'style.css'), join(outdir, 'style.css'))
  return outdir
}

/** The service that a command line names; without one that of REMIT_URL, or the `npm start` of this machine. */
export async function serviceIn([named]: readonly string[]): Promise<string> {
  const url = named ?? process.env.REMIT_URL ?? (await findDevService())?.url ?? 'http://127.0.0.1:3000'
  return url.replace(/\/+$/, '')
}

if (import.meta.filename === process.argv[1]) {
  console.log(`built ${await buildPages({ service: await serviceIn(process.argv.slice(2)) })}`)
}
