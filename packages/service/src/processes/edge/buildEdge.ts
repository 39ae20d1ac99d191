/** Builds the worker for the edge, one file without imports but Node's: `npm run build:edge -w @remit/service`. */
import { readFileSync } from 'node:fs'
import { relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import type { AbsentOperation, Operation } from '../../calls/serviceOperation.ts'
import { type NodeOperation, readNodeOperations } from '../../clientGenerator/emitOperations.ts'
import { camelCase } from '../../clientGenerator/Method.ts'
import { operations } from '../../operations/index.ts'
import { getCatalog, getOpenApi, getService, listChains } from '../../operations/service.ts'

/** The file that is deployed. */
export const EDGE_FILE = fileURLToPath(new URL('../../../dist/edge.js', import.meta.url))

/** What the worker answers about itself, beside what a chain alone answers. */
const OWN: readonly Operation[] = [getService, getCatalog, getOpenApi, listChains]

/** @param outfile is written */
export async function buildEdge(outfile = EDGE_FILE): Promise<void> {
  const { build } = await import('esbuild')
  await build({
    stdin: {
      contents: workerOf(await readNodeOperations()),
      resolveDir: import.meta.dirname,
      loader: 'ts',
    },
    outfile,
    bundle: true,
    minify: true,
    format: 'esm',
    target: 'es2022',
    platform: 'neutral',
    mainFields: ['module', 'main'],
    conditions: ['workerd', 'worker', 'import', 'module'],
    external: ['node:*'],
    logLevel: 'warning',
  })
}

/** The source of the worker: the operations in their order, and the names of all others. `place` is an operation's export in its module. */
function workerOf(atNode: readonly NodeOperation[]): string {
  const answered = operations.flatMap(({ name }) => atNode.find((one) => one.name === camelCase(name)) ?? [])
  const absent = operations.flatMap((operation) => {
    const isHere = OWN.includes(operation) || answered.some(({ name }) => name === camelCase(operation.name))
    return [...(isHere ? [] : [absenceOf(operation)]), ...addressesBeside(operation)]
  })
  return [
    "import { createWorker } from './createWorker.ts'",
    ...answered.map(({ name, module }) => `import * as ${name} from '@remit/engine/operations/${module}'`),
    `const answered = [${answered.map(({ name, place }) => `${name}.${place}`).join(', ')}]`,
    `export default createWorker(answered, ${JSON.stringify(absent)})`,
  ].join('\n')
}

function absenceOf({ name, rest, effect, tool, isSecret }: AbsentOperation): AbsentOperation {
  return { name, rest, effect, tool, isSecret }
}

/** An operation's files and its stream, which only a full service makes: a worker answers their paths with 501. */
function addressesBeside({ files, stream }: Operation): AbsentOperation[] {
  return [...files, ...(stream === undefined ? [] : [stream])].map(({ name, path }) => ({
    name,
    rest: { method: 'GET', path },
    effect: 'read',
    tool: false,
    isSecret: false,
  }))
}

if (import.meta.filename === process.argv[1]) {
  await buildEdge()
  const bytes = readFileSync(EDGE_FILE)
  process.stdout.write(
    `${relative(process.cwd(), EDGE_FILE)}: ${Math.ceil(bytes.length / 1000)} kB, ${Math.ceil(gzipSync(bytes).length / 1000)} kB in gzip\n`,
  )
}
