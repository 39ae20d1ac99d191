import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { answersIn, difference, parseAbridged } from './abridged.ts'
import { commandsOf, transcriptOf } from './commands.ts'
import { FORBIDDEN, PLACEHOLDERS, SERVERS } from './leftOut.ts'
import { samePrint } from './print.ts'
import { commandOf, type Program } from './programs.ts'
import { Shell } from './Shell.ts'
import { placeOf, type Snippet } from './snippets.ts'
import type { Ground } from './startGround.ts'

/** A reader who goes through a document from top to bottom, runs all of it, and compares what comes. */
export class Reading {
  readonly #copy: string
  readonly #ground: Ground
  readonly #shell: Shell
  /** Ids as the document shows them, and as they really are. */
  readonly #ids = new Map<string, string>()
  #printed: { output: string; since: number } | undefined

  /** @param copy a copy of the repository, in which commands are run */
  constructor(copy: string, ground: Ground) {
    this.#copy = copy
    this.#ground = ground
    this.#shell = new Shell(copy, ground.environment)
  }

  /** Throws, naming the block, where one fails or does not answer what the document shows. */
  async read(snippets: readonly Snippet[], programs: readonly Program[]): Promise<void> {
    for (const snippet of snippets) {
      try {
        await this.#readOne(snippet, programs)
      } catch (cause) {
        throw new Error(`${placeOf(snippet)}: ${cause instanceof Error ? cause.message : cause}`, { cause })
      }
    }
  }

  close(): Promise<void> {
    return this.#shell.close()
  }

  async #readOne(snippet: Snippet, programs: readonly Program[]): Promise<void> {
    const { language, text } = snippet
    if (language === 'json') this.#compare(text)
    if (language === 'text') await this.#replay(text)
    if (language === 'sh') await this.#run(await this.#fillIn(commandsOf(text)))
    // A program is run where its last block stands, when all of it has been read.
    const program = programs.find(({ snippets }) => snippets.at(-1) === snippet)
    if (program !== undefined)
      await this.#run(await commandOf(this.#copy, program, (part) => this.#fillIn(part)))
  }

  async #run(commands: string): Promise<void> {
    // Commands that are left out print nothing, so the output that the document shows for them is not compared.
    this.#printed = undefined
    if (commands === '') return
    const [forbidden] = FORBIDDEN.exec(commands) ?? []
    if (forbidden !== undefined) throw new Error(`nobody lets a document do this: ${forbidden.trim()}`)
    // A file that is written at once may bear a time that is a little older.
    const since = Date.now() - 10
    const server = SERVERS.find(({ command }) => command.test(commands))
    if (server !== undefined) return this.#shell.serve(commands, server.up)
    this.#printed = { output: await this.#shell.run(commands), since }
  }

  /** Runs what a transcript shows; a text without commands is what the commands before have printed. */
  async #replay(text: string): Promise<void> {
    const transcript = transcriptOf(text)
    if (transcript.length === 0 && this.#printed !== undefined) samePrint(text, this.#printed.output)
    for (const { command, printed } of transcript) {
      await this.#run(await this.#fillIn(command))
      if (command !== '') samePrint(printed, this.#printed?.output ?? '')
    }
  }

  async #fillIn(text: string): Promise<string> {
    let filled = text
    for (const { written, is } of PLACEHOLDERS) {
      if (text.search(written) !== -1) filled = filled.replaceAll(written, await this.#ground.placeholder(is))
    }
    for (const [shown, real] of this.#ids) filled = filled.replaceAll(shown, real)
    const [unknown] = /<[a-z]+>/.exec(filled) ?? []
    if (unknown !== undefined) throw new Error(`nobody has said what ${unknown} is`)
    return filled
  }

  /** Some answer of the commands before, or an object within, has the shape that is shown. */
  #compare(text: string): void {
    const shown = parseAbridged(text)
    if (this.#printed === undefined) return
    const answers = this.#answers(this.#printed)
    const compared = answers.map((real) => ({ real, found: difference(shown, real) }))
    const same = compared.find(({ found }) => found === undefined)
    if (same === undefined) {
      throw new Error(
        `${compared[0]?.found ?? 'nothing was answered'}:\n${this.#printed.output.slice(0, 3_000)}`,
      )
    }
    difference(shown, same.real, (written, real) => this.#ids.set(written, real))
  }

  /** What the commands printed, and the JSON files that they wrote. */
  #answers({ output, since }: { output: string; since: number }): unknown[] {
    const files = readdirSync(this.#copy).map((name) => join(this.#copy, name))
    const written = files.filter((path) => path.endsWith('.json') && statSync(path).mtimeMs >= since)
    const texts = [output, ...written.map((path) => readFileSync(path, 'utf8'))]
    return texts.flatMap((whole) => [...answersIn(whole)])
  }
}
