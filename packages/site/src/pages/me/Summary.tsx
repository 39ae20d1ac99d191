import type { GetAccountOutlookAnswer } from '@remit/client'
import { Note } from '../../design/Card.tsx'
import { DueDay } from '../../design/When.tsx'
import { coveredWords, skippedWords } from '../../words/outlook.ts'

/** The whole outlook in a sentence, worst first. */
export function Summary({ outlook }: { readonly outlook: GetAccountOutlookAnswer }) {
  const { counts, through, wallet, remit } = outlook
  // The charges are the first ones only; what the tokens say is of the whole outlook.
  const [failing] = wallet.tokens
    .flatMap(({ firstFailure }) => (firstFailure === null ? [] : [firstFailure.day]))
    .sort((one, other) => one.dayNumber - other.dayNumber)
  const covered = coveredWords(counts)
  const seen = remit.seen.through
  return (
    <>
      {counts.fails > 0 ? (
        <Note kind="bad">
          <p>
            <strong>
              {counts.fails === 1 ? 'One payment will fail' : `${counts.fails} payments will fail`}
              {failing === undefined ? null : (
                <>
                  {counts.fails === 1 ? ' on ' : ', the first on '}
                  <DueDay day={failing} />
                </>
              )}
            </strong>
            , as money and permission stand now. A payment that fails ends its subscription.
          </p>
        </Note>
      ) : counts.charges === 0 ? (
        <Note>
          <p>
            Nothing is due until <DueDay day={through} />.
          </p>
        </Note>
      ) : counts.pays === 0 ? null : (
        <Note kind="good">
          <p>
            {covered.which} until <DueDay day={through} /> {covered.verb} covered, as money and permission
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
