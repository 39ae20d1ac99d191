import * as z from 'zod'
import type { Container } from './startContainer.ts'

/** `visit(path, entry)` for everything below `folder`; it says with `true` that it wants nothing from below. */
const WALK = `
  const { accessSync, constants, lstatSync, readdirSync, readFileSync } = require('node:fs')
  const OF_KERNEL = ['/proc', '/sys', '/dev']
  const walk = (folder, visit) => {
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      const path = (folder === '/' ? '' : folder) + '/' + entry.name
      if (OF_KERNEL.includes(path) || visit(path, entry) || !entry.isDirectory()) continue
      walk(path, visit)
    }
  }
`

const Files = z.array(z.object({ path: z.string(), size: z.number() }))

/** What of a folder of the container is no folder itself. */
export async function filesBelow(container: Container, folder: string): Promise<z.output<typeof Files>> {
  const listed = await container.evaluate(`${WALK}
    const files = []
    walk('${folder}', (path, entry) => {
      if (!entry.isDirectory()) files.push({ path, size: lstatSync(path).size })
    })
    console.log(JSON.stringify(files))`)
  return Files.parse(JSON.parse(listed))
}

/** The files that hold a text, whoever may read them; not those of the base image's programs. */
export async function filesHolding(container: Container, text: string): Promise<string[]> {
  const script = `${WALK}
    walk('/', (path, entry) => {
      if (entry.isFile() && readFileSync(path).includes('${text}')) console.log(path)
      return path === '/usr'
    })`
  return linesOf(await container.evaluate(script, 'root'))
}

/** The topmost files and folders that the image's user may write to. */
export async function writablePaths(container: Container): Promise<string[]> {
  const script = `${WALK}
    const may = (path, right) => {
      try { accessSync(path, right); return true } catch { return false }
    }
    walk('/', (path, entry) => {
      if (entry.isSymbolicLink()) return true
      if (may(path, constants.W_OK)) console.log(path)
      return may(path, constants.W_OK) || !may(path, constants.R_OK | constants.X_OK)
    })`
  return linesOf(await container.evaluate(script))
}

const linesOf = (text: string) => text.split('\n').filter((line) => line !== '')
