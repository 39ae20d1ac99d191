import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { COMMANDS } from './copyOfRepository.ts'

const END = '\u001e'

/** One shell, as a reader has it open: what a block sets or defines, the next ones find. */
export class Shell {
  readonly #bash: ChildProcessWithoutNullStreams
  #output = ''
  #errors = ''

  constructor(cwd: string, environment: Record<string, string>) {
    const { PATH = '', HOME } = process.env
    this.#bash = spawn('bash', ['--noprofile', '--norc'], {
      cwd,
      env: { PATH: `${join(cwd, COMMANDS)}:${PATH}`, HOME, ...environment },
      // A group of its own: what it left running ends with it.
      detached: true,
    })
    this.#bash.stdout.setEncoding('utf8').on('data', (text: string) => {
      this.#output += text
    })
    this.#bash.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.#errors += text
    })
    this.#bash.stdin.on('error', () => {})
    this.#bash.stdin.write('set -e -o pipefail\n')
  }

  /** Runs a block to its end and returns what it printed. Throws, with all of that, where a command fails. */
  async run(block: string, timeoutMs = 60_000): Promise<string> {
    this.#output = ''
    this.#errors = ''
    this.#bash.stdin.write(`${block}\nprintf '${END}'\n`)
    const deadline = performance.now() + timeoutMs
    while (!this.#output.includes(END)) {
      if (this.#bash.exitCode !== null || performance.now() > deadline) {
        const how = this.#bash.exitCode === null ? 'did not end' : `failed (${this.#bash.exitCode})`
        throw new Error(`${block.trim()}\n${how}:\n${this.#output}\n${this.#errors}`)
      }
      await new Promise((resolve) => setTimeout(resolve, 10))
    }
    return this.#output.replace(END, '')
  }

  /**
   * Runs a program that goes on until it is stopped, waits until it is up, and stops it.
   * @param up what it then says, with the URL in its first parentheses, which has to answer
   */
  async serve(command: string, up: RegExp): Promise<void> {
    this.#output = ''
    this.#errors = ''
    this.#bash.stdin.write(`${command} & server=$!\n`)
    const deadline = performance.now() + 30_000
    while (!up.test(this.#output)) {
      if (performance.now() > deadline)
        throw new Error(`${command} did not come up:\n${this.#output}${this.#errors}`)
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
    const [, url = ''] = up.exec(this.#output) ?? []
    const { status } = await fetch(url)
    if (status !== 200) throw new Error(`${command} is up, and ${url} answers ${status}`)
    await this.run('kill $server; wait $server || true')
  }

  async close(): Promise<void> {
    if (this.#bash.exitCode !== null || this.#bash.pid === undefined) return
    process.kill(-this.#bash.pid, 'SIGKILL')
    await once(this.#bash, 'close')
  }
}
