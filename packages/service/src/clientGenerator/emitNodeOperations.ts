import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { ChainOperation } from '@remit/engine/declare/operation'
import { camelCase } from './Method.ts'

const FOLDER = fileURLToPath(new URL('../../../engine/src/operations/', import.meta.url))

/** An operation that needs nothing but a chain, and where it is declared. */
export interface NodeOperation {
  readonly name: string
  /** Under engine/src/operations, without its ending. */
  readonly module: string
  /** The export, or the property of one. */
  readonly place: string
  readonly readsIndex: boolean
}

/** The engine's operations that a node alone can answer, in the order of their files. */
export async function readNodeOperations(): Promise<readonly NodeOperation[]> {
  const files = (await readdir(FOLDER, { recursive: true }))
    .filter((name) => /^[\w/]+\.ts$/.test(name))
    .sort()
  const found = await Promise.all(
    files.map(async (file) => {
      const module: object = await import(join(FOLDER, file))
      return Object.entries(module)
        .flatMap(([name, value]) => declaredIn(name, value))
        .map((declared) => ({ ...declared, module: file.slice(0, -'.ts'.length) }))
    }),
  )
  return found.flat()
}

/** The operations that an export is or has: some have two forms. */
function declaredIn(place: string, value: unknown): Omit<NodeOperation, 'module'>[] {
  if (typeof value !== 'object' || value === null) return []
  if (!isOperation(value)) {
    return Object.entries(value).flatMap(([name, inner]) =>
      isOperation(inner) ? declaredIn(`${place}.${name}`, inner) : [],
    )
  }
  const { declaration, name } = value
  const reads = declaration.kind === 'chain' ? declaration : undefined
  if (reads?.query !== undefined && reads.withoutIndex === undefined) return []
  const readsIndex = reads?.query !== undefined || reads?.fromIndex !== undefined
  return [{ name: camelCase(name), place, readsIndex }]
}

function isOperation(value: unknown): value is ChainOperation {
  return typeof value === 'object' && value !== null && 'declaration' in value && 'onChain' in value
}

/** What a client answers from its own node. Each is loaded when it is first called. */
export function emitNodeOperations(operations: readonly NodeOperation[]): string {
  return [
    "import type { ChainOperation } from '@remit/engine/declare/operation'",
    '',
    '/** An operation that a node alone can answer. */',
    'export interface NodeOperation {',
    '  /** Whether an index would know more: a service that has one is asked instead, where there is one. */',
    '  readonly readsIndex?: true',
    '  readonly load: () => Promise<ChainOperation>',
    '}',
    '',
    'export const nodeOperations: Readonly<Record<string, NodeOperation>> = {',
    ...operations.map(
      ({ name, module, place, readsIndex }) =>
        `  ${name}: { ${readsIndex ? 'readsIndex: true, ' : ''}load: async () => ` +
        `(await import('@remit/engine/operations/${module}')).${place} },`,
    ),
    '}',
    '',
  ].join('\n')
}
