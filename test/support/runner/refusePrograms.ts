import { ChildProcess } from 'node:child_process'
import { relative } from 'node:path'
import { expect } from 'vitest'

// A quick test runs on a machine that has Node alone, in a moment. What starts a program is found in no list of
// imports where it is started in a new way: see findQuickTests.ts.
Object.assign(ChildProcess.prototype, {
  spawn({ file }: { readonly file: string }) {
    const test = relative(process.cwd(), expect.getState().testPath ?? '')
    throw new Error(`${test} is among the quick tests and may not start ${file}`)
  },
})
