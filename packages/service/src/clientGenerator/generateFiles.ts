import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { operations } from '../operations/index.ts'
import { emitApi } from './emitApi.ts'
import { emitAbi, emitErrors, emitReverts, readErrors } from './emitContract.ts'
import { emitNodeOperations, emitOperations, emitPrepares, readNodeOperations } from './emitOperations.ts'
import { readMethods } from './Method.ts'

/** A folder that holds generated files and nothing else. */
export class GeneratedFolder {
  readonly #folder: URL

  /** @param folder ends in a slash */
  constructor(folder: URL) {
    this.#folder = folder
  }

  /** The files that are missing, differ, or should not be there. */
  async stale(files: ReadonlyMap<string, string>): Promise<string[]> {
    await mkdir(this.#folder, { recursive: true })
    const present = await readdir(this.#folder)
    const names = [...new Set([...files.keys(), ...present])].sort()
    const texts = await Promise.all(
      names.map((name) => (present.includes(name) ? this.#read(name) : undefined)),
    )
    return names.filter((name, index) => texts[index] !== files.get(name))
  }

  async write(files: ReadonlyMap<string, string>): Promise<void> {
    for (const name of await this.stale(files)) {
      const text = files.get(name)
      if (text === undefined) await rm(new URL(name, this.#folder))
      else await writeFile(new URL(name, this.#folder), text)
    }
  }

  #read(name: string): Promise<string> {
    return readFile(new URL(name, this.#folder), 'utf8')
  }
}

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
