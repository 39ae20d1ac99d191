import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Subscriptions } from '@remit/contracts/Subscriptions'
import { afterAll, describe, expect, it } from 'vitest'
import { findProgram } from '../support/programs/installed.ts'

const program = findProgram('erc7730')
const NAME = 'calldata-recurring-payments.json'
const FILE = fileURLToPath(new URL(`../../erc7730/${NAME}`, import.meta.url))

const folder = mkdtempSync(join(tmpdir(), 'remit-lint-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

function lint(file: string) {
  // The environment of its own that it is installed in has its Python too.
  const python = join(dirname(realpathSync(program ?? '')), 'python')
  const script = fileURLToPath(new URL('lint.py', import.meta.url))
  const { status, stdout } = spawnSync(python, [script, file], {
    input: JSON.stringify(Subscriptions.abi),
    encoding: 'utf8',
    env: { COLUMNS: '1000', PYTHONUTF8: '1' },
  })
  return { status, errors: stdout.split('\n').filter((line) => line.includes('error: ')), stdout }
}

describe.skipIf(program === undefined)('the linter of descriptors', () => {
  it('finds no error in ours, over the contract’s own ABI, and no text that a small screen cuts but sentences', () => {
    const { status, errors, stdout } = lint(FILE)
    expect({ status, errors }).toEqual({ status: 0, errors: [] })
    expect(stdout).not.toContain('label too long')
    expect(stdout).not.toContain('Could not fetch ABI')
  }, 60_000)

  it('would find a field that the contract does not have', () => {
    const descriptor = JSON.parse(readFileSync(FILE, 'utf8').replaceAll('details.company', 'details.firm'))
    const { formats } = descriptor.display
    for (const name of Object.keys(formats)) if (!name.startsWith('editProvDetails')) delete formats[name]
    const wrong = join(folder, NAME)
    writeFileSync(wrong, JSON.stringify(descriptor))
    const { status, errors } = lint(wrong)
    expect(status).toBe(1)
    expect(errors.join()).toContain('details.firm')
  }, 60_000)
})
