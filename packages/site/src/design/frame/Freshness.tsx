import './freshness.css'
import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { chainNow, isReading, readAgain, readAt, readFailure } from '../../page/live.ts'
import { useFollowing } from '../../page/useFollowing.ts'
import { errorWords } from '../../words/errors.ts'
import { durationWords, momentUtcWords } from '../../words/time.ts'
import { Button } from '../Button.tsx'
import { Term } from '../Term.tsx'

/** After this time the page says that much may have happened since. */
const OLD_SECONDS = 300

const again = () => void readAgain()

/**
 * How old the page's facts are, and a button to read it again. It is read again when a person returns to its tab.
 * @param age of the oldest balance in it when it was read, in seconds
 */
export function Freshness({ age = 0 }: { readonly age?: number | undefined }) {
  useFollowing(again)
  const now = useSignal(Date.now())
  useEffect(() => {
    const timer = setInterval(() => {
      now.value = Date.now()
    }, 30_000)
    return () => clearInterval(timer)
  }, [])
  const block = chainNow.value?.block
  const since = Math.max(0, Math.round((now.value - readAt.value.getTime()) / 1000))
  // One of three: how old the oldest balance is; or when it was read; or, where no block had come for long by then, the time of
  // the newest block, because nothing on the page is newer.
  const areBalancesOlder = age >= 60
  const blockTime = block ? momentUtcWords(new Date(block.timestamp * 1000)) : undefined
  const isBlockNew = !block || readAt.value.getTime() / 1000 - block.timestamp < 60
  const read = areBalancesOlder
    ? `Balances as of ${durationWords(age + since)} ago`
    : isBlockNew
      ? `Read ${since < 60 ? 'just now' : `${durationWords(since)} ago`}`
      : `As of ${blockTime}`
  const failure = readFailure.value
  return (
    <span class={`freshness${since > OLD_SECONDS || failure ? ' freshness--old' : ''}`}>
      <span role="status" title={block ? `Block ${block.blockNumber}. Its time: ${blockTime}` : undefined}>
        {isReading.value
          ? 'Reading it again …'
          : failure === undefined
            ? read
            : `Could not be read again: ${errorWords(failure)} ${read}.`}
      </span>
      {areBalancesOlder ? (
        <Term means="Members’ balances are read in the background: more often as a payment day comes near, after each payment or change of a permission, and daily while a payment would fail. Refresh shows the newest that was read. The overview can read the wallets anew.">
          Why not newer?
        </Term>
      ) : null}
      <Button isSmall kind="quiet" isOff={isReading.value} onClick={again}>
        Refresh
      </Button>
    </span>
  )
}
