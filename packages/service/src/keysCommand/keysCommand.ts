import { RemitError } from '@remit/engine/errors/base'
import type { Log } from '@remit/engine/ports/log'
import { DeveloperKeys } from '../access/keys/DeveloperKeys.ts'
import { StoreAccess } from '../access/StoreAccess.ts'
import { commandLine } from '../commandLine.ts'
import { ConfigError } from '../configuration/ConfigError.ts'
import { loadKeysConfig } from '../configuration/loadConfig.ts'
import { misspellings } from '../configuration/misspellings.ts'
import { type Environment, reader } from '../configuration/reader.ts'
import { SECRETS_KEY } from '../configuration/variables/portal.ts'
import { openStore, type Store } from '../store/openStore.ts'
import { resealSecrets } from '../store/resealSecrets.ts'
import { SecretBox } from '../store/SecretBox.ts'
import { StoreError } from '../store/StoreError.ts'
import { HELP, readArguments, UsageError } from './arguments.ts'
import { runKeys } from './runKeys.ts'

const FAILED = 1
const NOT_UNDERSTOOD = 2

/** The command logs nothing: the error that ends it says what went wrong. */
const quiet: Log = { info: () => {}, warn: () => {}, error: () => {} }

async function run(args: readonly string[], environment: Environment): Promise<string> {
  const command = readArguments(args)
  if (command.name === 'help') return HELP
  const { databaseUrl, maxKeysPerSubject } = loadKeysConfig(environment)
  // A misspelt DATABASE_URL would make keys in a store that no service reads.
  for (const sentence of misspellings(environment)) process.stderr.write(`${sentence}\n`)
  const store = await openStore(databaseUrl)
  try {
    if (command.name === 'reseal') return await reseal(store, environment)
    const keys = new DeveloperKeys({ store, maxKeysPerSubject, access: new StoreAccess(quiet) })
    return await runKeys(command, keys)
  } finally {
    await store.close()
  }
}

async function reseal(store: Store, environment: Environment): Promise<string> {
  const keys = reader(environment).one(SECRETS_KEY)
  if (keys === undefined) {
    throw new ConfigError(`${SECRETS_KEY.name} is not set: list the new key, and behind it the old one.`)
  }
  const resealed = await resealSecrets(store, new SecretBox(keys))
  return `${resealed} secrets were sealed with the first key of ${SECRETS_KEY.name}, which opens all of them now.\n`
}

function sentenceOf(error: unknown): string {
  if (error instanceof UsageError) return `${error.message} ${commandLine('keys', '--help')} says more.`
  const isOurs = error instanceof RemitError || error instanceof ConfigError || error instanceof StoreError
  if (isOurs) return error.message
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}

/** `npm run keys` */
export async function main(args: readonly string[]): Promise<void> {
  try {
    process.stdout.write(await run(args, process.env))
  } catch (error) {
    process.stderr.write(`${sentenceOf(error)}\n`)
    process.exitCode = error instanceof UsageError ? NOT_UNDERSTOOD : FAILED
  }
}
