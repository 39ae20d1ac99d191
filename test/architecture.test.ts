import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

const root = fileURLToPath(new URL('..', import.meta.url))

it('the map of the code names files and folders that are there', () => {
  const text = readFileSync(`${root}/docs/architecture.md`, 'utf8')
  const named = text.matchAll(
    /(?<=`)(contracts|protocol|engine|service|client|react|site|devchain)\/([\w./]*)(?=`)/g,
  )
  const paths = [...named].map(([, name, path]) => `packages/${name}/src/${path}`)
  expect(paths.length).toBeGreaterThan(80)
  expect(paths.filter((path) => !existsSync(`${root}/${path}`))).toEqual([])
})
