import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { GeneratedFolder } from './generateFiles.ts'

const FILES = new Map([
  ['api.ts', 'one'],
  ['operations.ts', 'two'],
])

let path: string
let folder: GeneratedFolder
beforeEach(async () => {
  path = await mkdtemp(join(tmpdir(), 'remit-generated-'))
  folder = new GeneratedFolder(pathToFileURL(`${path}/`))
})
afterEach(() => rm(path, { recursive: true }))

it('holds the generated files and nothing else', async () => {
  await writeFile(join(path, 'old.ts'), 'left over')
  await writeFile(join(path, 'api.ts'), 'one as it was')
  expect(await folder.stale(FILES)).toEqual(['api.ts', 'old.ts', 'operations.ts'])
  await folder.write(FILES)
  expect(await folder.stale(FILES)).toEqual([])
  expect(await readdir(path)).toEqual(['api.ts', 'operations.ts'])
  expect(await readFile(join(path, 'api.ts'), 'utf8')).toBe('one')
})
