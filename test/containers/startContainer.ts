import { afterEach } from 'vitest'
import { type Program, runCommand } from '../support/programs/program.ts'
import type { Buildah } from './buildah.ts'

/** A program inside of a container. */
export interface ContainedProgram extends Omit<Program, 'process'> {
  /** Sends a signal to the program itself, as stopping its container does, unless it has ended. */
  signal(name: NodeJS.Signals): Promise<void>
}

/** A container of an image, with this machine's network. What its programs write stays for the next ones. */
export interface Container {
  /** Starts a command as the image's user, in its folder and with its environment and more. */
  start(command: readonly string[], environment?: Readonly<Record<string, string>>): ContainedProgram
  /**
   * Runs a script of CommonJS with the image's Node and returns what it printed.
   * @param user the image's own where it is left out
   */
  evaluate(script: string, user?: string): Promise<string>
}

/** Programs that were started: buildah, when it is killed, leaves them running. */
const started: ContainedProgram[] = []

afterEach(async () => {
  for (const program of started.splice(0)) await program.signal('SIGKILL')
})

export async function startContainer(buildah: Buildah, image: string): Promise<Container> {
  const name = await buildah.run('from', '--pull-never', image)
  const inside = ['run', '--isolation=chroot']
  return {
    start(command, environment = {}) {
      const variables = Object.entries(environment).map(([key, value]) => `--env=${key}=${value}`)
      // buildah does not pass signals on: the shell tells which process becomes the program.
      const told = ['sh', '-c', 'echo "process $$"; exec "$@"', 'sh', ...command]
      const line = buildah.commandLine(...inside, ...variables, name, '--', ...told)
      const { process: launcher, ...program } = runCommand(command.join(' '), line, {})
      const contained = {
        ...program,
        async signal(wanted: NodeJS.Signals) {
          if (launcher.exitCode !== null) return
          const [, id] = await program.says(/^process (\d+)$/m)
          try {
            process.kill(Number(id), wanted)
          } catch (error) {
            // It has ended just now, and buildah has not noticed yet.
            if (Object(error).code !== 'ESRCH') throw error
          }
        },
      }
      started.push(contained)
      return contained
    },
    evaluate: (script, user) =>
      buildah.run(
        ...inside,
        ...(user === undefined ? [] : [`--user=${user}`]),
        name,
        '--',
        'node',
        '--eval',
        script,
      ),
  }
}
