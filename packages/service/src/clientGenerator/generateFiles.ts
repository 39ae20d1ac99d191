import { operations } from '../operations/index.ts'
import { emitAbi } from './emitAbi.ts'
import { emitApi } from './emitApi.ts'
import { emitErrors, readErrors } from './emitErrors.ts'
import { emitNodeOperations, readNodeOperations } from './emitNodeOperations.ts'
import { emitOperations } from './emitOperations.ts'
import { emitPrepares } from './emitPrepares.ts'
import { emitReverts } from './emitReverts.ts'
import { readMethods } from './Method.ts'

/** Everything in packages/client/src/generated, by file name. */
export async function generateFiles(): Promise<ReadonlyMap<string, string>> {
  const { methods, named } = readMethods(operations)
  const files: readonly (readonly [name: string, source: string, text: string])[] = [
    ['api.ts', 'packages/service/src/operations', emitApi(methods, named)],
    ['operations.ts', 'packages/service/src/operations', emitOperations(methods, named)],
    ['nodeOperations.ts', 'packages/engine/src/operations', emitNodeOperations(await readNodeOperations())],
    ['prepares.ts', 'packages/service/src/operations', emitPrepares(methods)],
    ['errors.ts', 'packages/engine/src/errors', emitErrors(await readErrors())],
    ['abi.ts', 'packages/contracts/generated', emitAbi()],
    ['reverts.ts', 'packages/protocol/src', emitReverts()],
  ]
  return new Map(
    files.map(([name, source, text]) => [
      name,
      `// Generated from ${source} by packages/service/src/clientGenerator/main.ts. Do not edit.\n${text}`,
    ]),
  )
}
