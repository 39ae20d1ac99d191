import { sql } from 'kysely'
import type { Store } from './openStore.ts'
import { SealedError, type SecretBox } from './SecretBox.ts'
import { StoreError } from './StoreError.ts'
import { SEALED_COLUMNS, type SealedColumn } from './sealedColumns.ts'

/** Rows of one transaction. It must be short, because others wait for it. */
const PAGE_ROWS = 200

interface Row {
  readonly id: string | number
  readonly sealed: string
}

/**
 * After a new SECRETS_KEY was put in front: seals every secret in the store anew with it. Resolves with how many that were.
 * Each secret is one write, which is skipped if the secret has changed meanwhile. If this breaks off, run it again: both keys
 * still open what they sealed.
 * Throws StoreError where some are left, because no key of the box opens them. All others are sealed anew by then.
 */
export async function resealSecrets(store: Store, box: SecretBox, pageRows = PAGE_ROWS): Promise<number> {
  let resealed = 0
  let closed = 0
  let changed: number
  // Again, until a pass finds nothing: a secret that is rotated meanwhile moves, still sealed by the old key, to another column.
  do {
    changed = 0
    closed = 0
    for (const column of SEALED_COLUMNS) {
      let after: Row['id'] | undefined
      for (;;) {
        const rows = await readPage(store, column, after, pageRows)
        if (rows.length === 0) break
        for (const row of rows) {
          const outcome = await reseal(store, box, column, row)
          if (outcome === 'closed') closed += 1
          if (outcome === 'resealed') changed += 1
        }
        after = rows.at(-1)?.id
      }
    }
    resealed += changed
  } while (changed > 0)
  if (closed > 0) {
    throw new StoreError(
      `${closed} secrets in the store were left as they are: list in SECRETS_KEY the keys that sealed them, too. ${resealed} were sealed with its first key.`,
    )
  }
  return resealed
}

async function readPage(
  { db }: Store,
  { table, column }: SealedColumn,
  after: Row['id'] | undefined,
  pageRows: number,
): Promise<readonly Row[]> {
  const further = after === undefined ? sql`` : sql`and id > ${after}`
  const { rows } = await sql<Row>`
    select id, ${sql.ref(column)} as sealed from ${sql.table(table)}
    where ${sql.ref(column)} is not null ${further} order by id limit ${sql.lit(pageRows)}`.execute(db)
  return rows
}

async function reseal(
  store: Store,
  box: SecretBox,
  { table, column }: SealedColumn,
  { id, sealed }: Row,
): Promise<'resealed' | 'closed' | 'current'> {
  if (box.isCurrent(sealed)) return 'current'
  const context = `${table} ${id}`
  let anew: string
  try {
    anew = box.seal(box.open(sealed, context), context)
  } catch (error) {
    if (error instanceof SealedError) return 'closed'
    throw error
  }
  const { numAffectedRows } = await store.transaction((db) =>
    sql`update ${sql.table(table)} set ${sql.ref(column)} = ${anew}
      where id = ${id} and ${sql.ref(column)} = ${sealed}`.execute(db),
  )
  // Somebody else has changed or deleted it meanwhile: what is written now is sealed by the newest key.
  return numAffectedRows === 0n ? 'current' : 'resealed'
}
