import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'

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
