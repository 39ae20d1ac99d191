/** `npx tsx examples/browser/build.ts [service…]`: static files in dist/, for services at these addresses. */
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { findDevService } from '@remit/client/development'
import { build } from 'esbuild'

const folder = import.meta.dirname

export interface PageOptions {
  /** The services that the page may ask, the first by default. */
  readonly services: readonly string[]
  readonly outdir?: string
}

/**
 * The protocol's contract by chain id. Base and Base Sepolia are known to the client; this is the development
 * chain's, which has the same address on every machine.
 */
const CONTRACTS = { 31337: '0x5FbDB2315678afecb367f032d93F642f64180aa3' }

/** Builds the page and returns the folder with it. */
export async function buildPage({ services, outdir = join(folder, 'dist') }: PageOptions): Promise<string> {
  mkdirSync(outdir, { recursive: true })
  await build({
    entryPoints: [join(folder, 'src/main.ts')],
    outfile: join(outdir, 'main.js'),
    bundle: true,
    format: 'esm',
    target: 'es2022',
    minify: true,
    sourcemap: true,
    logLevel: 'warning',
    define: { REMIT_SERVICES: JSON.stringify(services), REMIT_CONTRACTS: JSON.stringify(CONTRACTS) },
  })
  const html = readFileSync(join(folder, 'index.html'), 'utf8')
  const origins = [...new Set(services.map((service) => new URL(service).origin))]
  writeFileSync(join(outdir, 'index.html'), html.replace('%SERVICES%', origins.join(' ')))
  copyFileSync(join(folder, 'style.css'), join(outdir, 'style.css'))
  return outdir
}

/** The services that a command line names; without one that of REMIT_URL, or the `npm start` of this machine. */
export async function servicesIn(args: readonly string[]): Promise<readonly string[]> {
  if (args.length > 0) return args
  const url = process.env.REMIT_URL ?? (await findDevService())?.url
  return [url ?? 'http://127.0.0.1:3000']
}

if (import.meta.filename === process.argv[1]) {
  console.log(`built ${await buildPage({ services: await servicesIn(process.argv.slice(2)) })}`)
}
