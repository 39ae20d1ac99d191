import type { GetAccountOutlookAnswer } from '@remit/client'
import { Note } from '../../design/Card.tsx'
import { DueDay } from '../../design/When.tsx'
import { coveredWords, skippedWords } from '../../words/outlook.ts'

/** The whole outlook in a sentence. What fails is said of each plan, with what to do about it. */
export function Summary({ outlook }: { readonly outlook: GetAccountOutlookAnswer }) {
  const { counts, through, remit } = outlook
  const covered = coveredWords(counts)
  const seen = remit.seen.through
  return (
    <>
      {counts.fails > 0 ? null : counts.charges === 0 ? (
        <Note>
          <p>
            Nothing is due through <DueDay day={through} />.
          </p>
        </Note>
      ) : counts.pays === 0 ? null : (
        <Note kind="good">
          <p>
            {covered.which} through <DueDay day={through} /> {covered.verb} covered, as money and permission
            stand now.
          </p>
        </Note>
      )}
      {counts.waits > 0 && remit.stop !== null ? (
        <Note kind="mind">
          <p>
            {counts.waits === 1 ? 'One payment waits' : `${counts.waits} payments wait`}: nothing can be
            collected from <DueDay day={remit.stop.day} /> on. You need not do anything. What is late is taken
            once that is solved, so keep the money in your wallet.
          </p>
        </Note>
      ) : null}
      {counts.skipped > 0 ? (
        <Note>
          <p>{skippedWords(counts.skipped)}</p>
        </Note>
      ) : null}
      {seen !== null && seen.dayNumber < through.dayNumber ? (
        <p class="quiet">
          Tried out on the contract up to <DueDay day={seen} />; reckoned by its rules after that. Money that
          your wallet receives until then is not counted.
        </p>
      ) : null}
    </>
  )
}
