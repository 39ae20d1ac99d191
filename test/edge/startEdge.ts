import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Guarded, startGuarded } from '@remit/devchain/testing/chain/guarded'
import { buildEdge } from '@remit/service/testing/processes/edge/buildEdge'
import { afterAll, describe, it } from 'vitest'
import { findBuilt } from '../support/programs/installed.ts'
import { closeKept } from '../support/service/exchange.ts'

const PROGRAM = join(import.meta.dirname, 'node_modules/@cloudflare/workerd-linux-64/bin/workerd')

export const workerdIsInstalled =
  findBuilt('workerd (`npm ci --ignore-scripts` in test/edge/)', PROGRAM) !== undefined

/** The date by whose rules a worker runs. */
const COMPATIBLE_WITH = '2026-11-17'

/** A suite over the worker, or one test that is left out in its place where workerd is not installed. */
export function describeEdge(what: string, suite: () => Promise<void>): void {
  if (workerdIsInstalled) describe(what, suite)
  else it.skipIf(!workerdIsInstalled)(what, () => {})
}

/** The worker as it is deployed, in workerd. */
export interface Edge extends Pick<Guarded, 'says'> {
  readonly url: string
  /** The built file. */
  readonly file: string
}

/**
 * Starts the worker with these variables until the file ends.
 * @param options.wallMs where its clock stands still, unix time in milliseconds; default: it goes
 */
export async function useEdge(
  variables: Readonly<Record<string, string>>,
  { wallMs }: { readonly wallMs?: number } = {},
): Promise<Edge> {
  const folder = mkdtempSync(join(tmpdir(), 'remit-edge-'))
  const file = join(folder, 'edge.js')
  await buildEdge(file)
  const clock = wallMs === undefined ? '' : `Date.now = () => ${wallMs}`
  const main = "import './clock.js'\nexport { default } from './edge.js'\n"
  const modules = { 'main.js': main, 'clock.js': clock, 'edge.js': readFileSync(file, 'utf8') }
  return { ...(await useWorker(modules, variables, folder)), file }
}

/** Starts a worker of these modules, the first of which answers, with these variables until the file ends. */
export async function useWorker(
  modules: Readonly<Record<string, string>>,
  variables: Readonly<Record<string, string>>,
  folder = mkdtempSync(join(tmpdir(), 'remit-worker-')),
): Promise<Omit<Edge, 'file'>> {
  for (const [name, text] of Object.entries(modules)) writeFileSync(join(folder, name), text)
  writeFileSync(join(folder, 'config.capnp'), configOf(Object.keys(modules), variables))
  const command = [PROGRAM, 'serve', join(folder, 'config.capnp'), '--control-fd=1']
  const { says, stop } = startGuarded('workerd', command, folder)
  let url: string | undefined
  afterAll(() => {
    if (url !== undefined) closeKept(url)
    return stop()
  })
  const [, port = ''] = await says(/"event":"listen","socket":"http","port":(\d+)/)
  url = `http://127.0.0.1:${port}`
  return { url, says }
}

function configOf(names: readonly string[], variables: Readonly<Record<string, string>>): string {
  const bindings = Object.entries(variables).map(
    ([name, text]) => `(name = ${JSON.stringify(name)}, text = ${JSON.stringify(text)})`,
  )
  const modules = names.map((name) => `(name = "${name}", esModule = embed "${name}")`)
  return `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "edge", worker = .edge),
    # A chain under test is on this machine.
    (name = "internet", network = (allow = ["public", "private"]))
  ],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "edge")]
);
const edge :Workerd.Worker = (
  modules = [${modules.join(', ')}],
  compatibilityDate = "${COMPATIBLE_WITH}",
  compatibilityFlags = ["nodejs_compat"],
  bindings = [${bindings.join(', ')}]
);
`
}
