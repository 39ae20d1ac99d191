import { Note } from '../../design/Card.tsx'

interface RecordBehindProps {
  /** What the record is of: "members". */
  readonly of: string
  readonly index: { readonly synced: boolean; readonly blockNumber: number }
}

/** Where the index has yet to read newer blocks of the chain, how far it is. */
export function RecordBehind({ of, index: { synced, blockNumber } }: RecordBehindProps) {
  return synced ? null : (
    <Note kind="mind">
      <p>
        The record of {of} is behind the chain: it knows what happened up to block {blockNumber}.
      </p>
    </Note>
  )
}
