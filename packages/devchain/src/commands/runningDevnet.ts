import { findDevService } from '@remit/client/development'
import type { Variable } from '@remit/service/configuration/defineVariable'
import { type Environment, isUnset, reader } from '@remit/service/configuration/reader'
import { DEVELOPMENT } from '@remit/service/configuration/variables/commands'
import { SERVICE } from '@remit/service/configuration/variables/service'

export interface RunningDevnet {
  /** The service's URL, without a slash at its end. */
  readonly url: string
  readonly rpcUrl: string
}

/** What a command line may name. */
export type NamedDevnet = { readonly [name in keyof RunningDevnet]?: string | undefined }

/**
 * Finds the development chain that a command is for, and its service: what the command line names, else what the
 * environment names, else the `npm start` of this folder, else the newest one of this user, else the default ports.
 */
export async function runningDevnet(named: NamedDevnet, environment: Environment): Promise<RunningDevnet> {
  const read = reader(environment)
  const atPort = (port: number) => `http://127.0.0.1:${port}`
  /** With 0 any free port was taken, so the environment does not tell it. */
  const chosen = (variable: Variable<number>) => {
    const port = isUnset(environment[variable.name]) ? 0 : read.one(variable)
    return port === 0 ? undefined : atPort(port)
  }
  const url = named.url ?? read.one(DEVELOPMENT.remitUrl) ?? chosen(SERVICE.port)
  const rpcUrl = named.rpcUrl ?? chosen(DEVELOPMENT.devnetPort)
  const found = url !== undefined && rpcUrl !== undefined ? undefined : await findDevService({ url, rpcUrl })
  return {
    url: url ?? found?.url ?? atPort(SERVICE.port.fallback),
    rpcUrl: rpcUrl ?? found?.rpcUrl ?? atPort(DEVELOPMENT.devnetPort.fallback),
  }
}
