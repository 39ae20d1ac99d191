import type { NestedTable } from '@remit/engine/declare/operation'
import { disarmSpreadsheetCell } from '@remit/protocol/text'
import { stringify } from 'csv-stringify/sync'
import * as z from 'zod'
import type { Operation } from '../../calls/serviceOperation.ts'

export const CSV_TYPE = 'text/csv'

const Rows = z.array(z.record(z.string(), z.unknown()))

/** Writes the rows of an operation's answers as CSV (RFC 4180), with a line of names. */
export interface TableWriter {
  /** Which field holds the rows. */
  readonly field: string
  rows(body: Readonly<Record<string, unknown>>): readonly Readonly<Record<string, unknown>>[]
  /** @param options.names `false` leaves out the line of names, for what follows earlier rows */
  write(body: Readonly<Record<string, unknown>>, options?: { readonly names: boolean }): string
}

/**
 * Makes the writer of an operation's table; `undefined` where its answers have none.
 *
 * The columns follow from the schema and not from the rows, so they are the same on every page. A field of an object
 * has a column of its own, named with a dot: `amount.amountRaw`. A list is one cell, as JSON.
 */
export function createTableWriter({ table, answer }: Operation): TableWriter | undefined {
  if (table === undefined) return undefined
  const nested = typeof table === 'string' ? undefined : table
  const field = typeof table === 'string' ? table : table.list
  const element = elementOf(answer.shape[field])
  const columns =
    nested === undefined
      ? columnsOf(element, [])
      : [
          ...nested.outerFields.flatMap((name) => columnsOf(fieldOf(element, name), [name])),
          ...columnsOf(elementOf(fieldOf(element, nested.rows)), []),
        ]
  const rowsOf = (body: Readonly<Record<string, unknown>>) => {
    const rows = Rows.parse(body[field])
    return nested === undefined ? rows : rows.flatMap((row) => nestedRows(row, nested))
  }
  return {
    field: nested?.rows ?? field,
    rows: rowsOf,
    write: (body, { names } = { names: true }) =>
      stringify(
        rowsOf(body).map((row) => columns.map((path) => disarmSpreadsheetCell(cellAt(row, path)))),
        {
          header: names,
          columns: columns.map((path) => path.join('.')),
          record_delimiter: 'windows',
          quoted_match: ';',
        },
      ),
  }
}

/** The rows that stand in one row of the list, each with the fields that the table takes from outside. */
function nestedRows(row: Record<string, unknown>, { rows, outerFields }: NestedTable) {
  const shared = Object.fromEntries(outerFields.map((name) => [name, row[name]]))
  return Rows.parse(row[rows]).map((one) => ({ ...shared, ...one }))
}

function elementOf(list: unknown): unknown {
  const schema = unwrapped(list)
  if (!(schema instanceof z.ZodArray))
    throw new TypeError('the table of an operation is no list of its answer')
  return unwrapped(schema.element)
}

function fieldOf(schema: unknown, name: string): unknown {
  return unwrapped(fieldsOf(schema)?.find(([known]) => known === name)?.[1])
}

/** The paths of a row's cells. Of a union of objects, the fields of all of them. */
function columnsOf(schema: unknown, path: readonly string[]): string[][] {
  const fields = fieldsOf(schema)
  if (fields === undefined) return [[...path]]
  const columns = fields.flatMap(([name, field]) => columnsOf(unwrapped(field), [...path, name]))
  return [...new Map(columns.map((column) => [column.join('.'), column])).values()]
}

function fieldsOf(schema: unknown): [name: string, field: unknown][] | undefined {
  if (schema instanceof z.ZodObject) return Object.entries(schema.shape)
  if (!(schema instanceof z.ZodUnion)) return undefined
  const options = schema.options.map((option) => fieldsOf(unwrapped(option)))
  return options.every((option) => option !== undefined) ? options.flat() : undefined
}

/** The schema without "optional" and "nullable". */
function unwrapped(schema: unknown): unknown {
  return schema instanceof z.ZodOptional || schema instanceof z.ZodNullable
    ? unwrapped(schema.unwrap())
    : schema
}

function cellAt(row: unknown, path: readonly string[]): string {
  let value: unknown = row
  for (const name of path) value = isRecord(value) ? value[name] : undefined
  if (value === null || value === undefined) return ''
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
