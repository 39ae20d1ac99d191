import { ChildProcess } from 'node:child_process'
import { relative } from 'node:path'
import { expect } from 'vitest'

interface Started {
  readonly file: string
  readonly args?: readonly string[]
}

// `npm test` runs on a machine that has Node alone. What starts a program in a new way is found in no list of imports:
// see sortTests.ts. Vitest evaluates this again for each file, and what was wrapped already stays as it is.
const spawn: unknown = Reflect.get(ChildProcess.prototype, 'spawn')
if (typeof spawn !== 'function') throw new Error('This Node starts programs in another way')
if (spawn.name !== 'spawnOwn') {
  Object.assign(ChildProcess.prototype, {
    spawn: function spawnOwn(this: ChildProcess, options: Started) {
      if (isAnvil(options)) return Reflect.apply(spawn, this, [options])
      const test = relative(process.cwd(), expect.getState().testPath ?? '')
      throw new Error(`${test} is among the tests that need Node alone and may not start ${options.file}`)
    },
  })
}

/** The chain of tests, which comes with `npm ci`. */
function isAnvil({ args = [] }: Started): boolean {
  return args.includes('anvil-guard')
}
