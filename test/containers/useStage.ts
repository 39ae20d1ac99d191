import { chmodSync, existsSync, lstatSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { type Program, runCommand } from '../support/programs/program.ts'
import { accountOf, makeReadOnly, type Stage } from './Stage.ts'

/** A stage that is run as its container would be: nothing in it can be written to but some folders. */
export interface RunnableStage {
  /** Starts a command as the stage's user, in its folder and with its environment and more. */
  start(command: readonly string[], environment?: Readonly<Record<string, string>>): Program
  /** The paths of all files outside of the folders that may be written to. */
  files(): string[]
}

/** @param writable absolute in the stage; all other folders and files lose their right to write */
export function useStage(stage: Stage, writable: readonly string[]): RunnableStage {
  const isWritable = (path: string) => writable.some((each) => join(stage.root, each) === path)
  for (const name of readdirSync(stage.root)) {
    const path = join(stage.root, name)
    if (!isWritable(path)) makeReadOnly(path)
  }
  chmodSync(stage.root, 0o555)
  return {
    start(command, environment = {}) {
      const env = inStage(stage, { ...stage.environment, ...environment })
      return runCommand(command.join(' '), command, {
        ...accountOf(stage),
        cwd: join(stage.root, stage.workdir),
        // A container's user without an account has no other home.
        env: { PATH: process.env.PATH, HOME: '/', TMPDIR: join(stage.root, 'tmp'), ...env },
      })
    },
    files: () => [...filesBelow(stage.root, isWritable)],
  }
}

/** The stage's root is a folder here: what its variables say of files is moved below it. */
function inStage({ root }: Stage, environment: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(environment).map(([name, value]) => {
      const path = /^file:(\/.*)$/.exec(value)?.[1]
      return [name, path === undefined ? value : `file:${join(root, path)}`]
    }),
  )
}

function* filesBelow(path: string, isLeftOut: (path: string) => boolean): Generator<string> {
  if (!existsSync(path) || isLeftOut(path)) return
  if (!lstatSync(path).isDirectory()) yield path
  else for (const name of readdirSync(path)) yield* filesBelow(join(path, name), isLeftOut)
}
