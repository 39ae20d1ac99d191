import {
  type Day,
  daysAwayWords,
  dayWords,
  localStartWords,
  momentWords,
  utcWords,
} from '../../words/time.ts'

/** A moment in the reader's zone, with UTC beside it where that is another. */
export function When({ at }: { readonly at: Date }) {
  const utc = utcWords(at)
  return (
    <time dateTime={at.toISOString()}>
      {momentWords(at)}
      {utc === undefined ? ' UTC' : <span class="when__utc"> ({utc})</span>}
    </time>
  )
}

interface DueDayProps {
  readonly day: Day
  /** The day of the chain's clock; with it, how far away the day is. */
  readonly today?: number | null | undefined
}

/** A day of the protocol: it begins and ends in UTC. Where it begins on another date in the reader's zone, that is said too. */
export function DueDay({ day, today }: DueDayProps) {
  const away = today === null || today === undefined ? undefined : daysAwayWords(day, today)
  const begins = new Date(day.dayNumber * 86_400_000)
  const local = localStartWords(day)
  return (
    <time dateTime={day.date} title={`A day in UTC. It begins ${momentWords(begins)} where you are.`}>
      {dayWords(day)}
      {away === undefined ? null : <span class="when__utc">, {away}</span>}
      {local === undefined ? null : <span class="quiet"> (from {local} where you are)</span>}
    </time>
  )
}
