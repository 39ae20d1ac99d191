import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { findPackagePath } from './findPackagePath.ts'

const folder = mkdtempSync(join(tmpdir(), 'remit-package-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const [above, beside, bundle] = [folder, join(folder, 'app'), join(folder, 'app', 'dist', 'deep')]
mkdirSync(join(above, 'docs'))
mkdirSync(join(beside, 'docs'), { recursive: true })
mkdirSync(bundle, { recursive: true })
writeFileSync(join(above, 'docs', 'start.md'), '# Above')
writeFileSync(join(above, 'docs', 'only.md'), '# Only above')
writeFileSync(join(beside, 'docs', 'start.md'), '# Beside')

it('finds the nearest above the program, wherever the program lies', () => {
  expect(findPackagePath('docs/start.md', bundle)).toBe(join(beside, 'docs', 'start.md'))
  expect(findPackagePath('docs/start.md', beside)).toBe(join(beside, 'docs', 'start.md'))
  expect(findPackagePath('docs/only.md', bundle)).toBe(join(above, 'docs', 'only.md'))
})

it('says what is missing where there is none', () => {
  expect(() => findPackagePath('docs/none-such.md', bundle)).toThrow(/docs\/none-such\.md is missing/)
})
