#!/usr/bin/env node
/** The process of the command `remit`: its signals, its output and its exit code. `runCommandLine` does the rest. */

import { readFileSync } from 'node:fs'
import { EXIT } from './errors.ts'
import { terminalOf } from './output/Terminal.ts'
import { runCommandLine } from './runCommandLine.ts'

/** The package's version. Its package.json is two folders up from `dist/cli` and from `src/cli` alike. */
function readVersion(): string {
  const manifest: unknown = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'))
  const version =
    typeof manifest === 'object' && manifest !== null ? Reflect.get(manifest, 'version') : undefined
  return typeof version === 'string' ? version : 'unknown'
}

/** Aborted when the command is asked to end. */
const ending = new AbortController()
let interrupted = false

function onSignal(signal: NodeJS.Signals): void {
  // The second signal ends the process at once.
  if (ending.signal.aborted) process.exit(EXIT.interrupted)
  interrupted = signal === 'SIGINT'
  ending.abort(new Error(signal))
}

process.on('SIGINT', onSignal)
process.on('SIGTERM', onSignal)
// The reader has closed the pipe, as `| head` does: that is success.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(EXIT.done)
  throw error
})

const exitCode = await runCommandLine({
  args: process.argv.slice(2),
  environment: process.env,
  terminal: terminalOf(process),
  signal: ending.signal,
  version: readVersion,
})
process.exitCode = interrupted ? EXIT.interrupted : exitCode
