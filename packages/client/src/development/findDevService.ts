import { readdir, readFile } from 'node:fs/promises'
import { join, sep } from 'node:path'
import { isRecord } from '../call/isRecord.ts'
import { parseUrl } from '../request/parseUrl.ts'
import { devServicesFolder, isRunning } from './devServicesFolder.ts'

/** A running `npm start`, as it wrote itself down. It holds no secret. */
export interface DevService {
  /** Of REST, without a slash at its end. */
  readonly url: string
  readonly mcpUrl: string
  /** Of the development chain's node. */
  readonly rpcUrl: string
  readonly chainId: number
  readonly pid: number
  /** Where it was started. */
  readonly folder?: string
  /** Unix milliseconds. */
  readonly startedAt: number
}

/** What is known already of the one that is looked for. */
type KnownAddress = { readonly [name in 'url' | 'mcpUrl' | 'rpcUrl']?: string | undefined }

/** How long one service may take to answer. */
const PATIENCE_MS = 2_000

/**
 * Finds the service that this user has started on this machine with `npm start`, on any port. If several run, it is the
 * one that was started in the folder `from` or above it, else the newest; if addresses are given, the one that has them.
 * `undefined` if none runs and answers.
 *
 * @example
 * import { findDevService } from '@remit/client/development'
 *
 * const service = await findDevService()
 * if (service === undefined) throw new Error('Start it first: npm start')
 * console.log(service.url, service.chainId)
 */
export async function findDevService(
  known: KnownAddress = {},
  from: string = process.cwd(),
): Promise<DevService | undefined> {
  const folder = devServicesFolder()
  const names = await readdir(folder).catch(() => [])
  const files = names.filter((name) => /^\d+\.json$/.test(name)).map((name) => readEntry(join(folder, name)))
  const running = (await Promise.all(files))
    .filter((entry) => entry !== undefined)
    .filter((entry) => isRunning(entry.pid) && hasAddresses(entry, known))
    .sort((a, b) => Number(isAbove(b, from)) - Number(isAbove(a, from)) || b.startedAt - a.startedAt)
  for (const entry of running) {
    if (await answers(entry.url)) return entry
  }
  return undefined
}

async function readEntry(path: string): Promise<DevService | undefined> {
  try {
    const entry: unknown = JSON.parse(await readFile(path, 'utf8'))
    if (!isRecord(entry)) return undefined
    const { url, mcpUrl, rpcUrl, chainId, pid, startedAt, folder } = entry
    if (!isLoopback(url) || !isLoopback(mcpUrl) || !isLoopback(rpcUrl)) return undefined
    if (typeof chainId !== 'number' || typeof pid !== 'number' || typeof startedAt !== 'number')
      return undefined
    const known = { url, mcpUrl, rpcUrl, chainId, pid, startedAt }
    return typeof folder === 'string' ? { ...known, folder } : known
  } catch {
    // Gone by now, or half of a file.
    return undefined
  }
}

/** A development chain is on this machine: a wallet is led nowhere else by a file. */
function isLoopback(url: unknown): url is string {
  return typeof url === 'string' && /^(localhost|127(\.\d+){3}|\[::1\])$/.test(parseUrl(url)?.hostname ?? '')
}

/** Whether it was started in a folder, or in one that this folder is in. */
function isAbove({ folder }: DevService, from: string): boolean {
  return folder !== undefined && `${from}${sep}`.startsWith(`${folder}${sep}`)
}

function hasAddresses(entry: DevService, known: KnownAddress): boolean {
  return (['url', 'mcpUrl', 'rpcUrl'] as const).every((name) => {
    const address = known[name]
    return address === undefined || isSameUrl(address, entry[name])
  })
}

function isSameUrl(one: string, other: string): boolean {
  const plain = (url: string) => parseUrl(url)?.href.replace(/\/+$/, '') ?? url
  return plain(one) === plain(other)
}

/** Whether this service answers there: its process id may be another program's by now. */
async function answers(url: string): Promise<boolean> {
  try {
    const response = await fetch(`${url}/ready`, { signal: AbortSignal.timeout(PATIENCE_MS) })
    await response.body?.cancel()
    return response.headers.has('x-request-id')
  } catch {
    return false
  }
}
