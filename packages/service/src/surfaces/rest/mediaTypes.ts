import type { Operation } from '../../calls/serviceOperation.ts'
import { JSON_TYPE } from './reply.ts'
import { CSV_TYPE } from './table.ts'

export const NDJSON_TYPE = 'application/x-ndjson'

/** The media types of answers, by what `format` calls them. */
export const MEDIA_TYPES: Readonly<Record<string, string>> = {
  json: JSON_TYPE,
  csv: CSV_TYPE,
  ndjson: NDJSON_TYPE,
}

/** The media types that an operation's answer can be had in: CSV where it has a table, NDJSON where that can be had whole. */
export function offersOf({ table, wholeTable }: Operation): string[] {
  return [
    JSON_TYPE,
    ...(table === undefined ? [] : [CSV_TYPE]),
    ...(wholeTable === undefined ? [] : [NDJSON_TYPE]),
  ]
}

/** What `format` may say where these media types are offered. */
export function formatsIn(offers: readonly string[]): string[] {
  return Object.keys(MEDIA_TYPES).filter((name) => offers.includes(MEDIA_TYPES[name] ?? ''))
}
