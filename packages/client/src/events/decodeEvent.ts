import { decodeAnswer, ShapeMismatch } from '../call/decodeAnswer.ts'
import { isRecord } from '../call/isRecord.ts'
import { UnexpectedAnswerError } from '../errors/RemitError.ts'
import type {
  Event,
  WebhookChallenge as SentChallenge,
  WebhookPaused as SentPause,
  RescueOffered as SentRescue,
  WebhookTest as SentTest,
} from '../generated/api.ts'
import { shapes } from '../generated/operations.ts'

/**
 * One thing that happened. Comparing its `type` narrows what its `data` is. A service that is newer than this package may
 * send types that are not among these: leave them to a `default`.
 */
export type RemitEvent = Event

/** Another webhook of yours was paused. */
export interface WebhookPaused extends SentPause {
  type: 'webhook.paused'
}

/** A member of yours has left a signed permit for you to carry: `listRescues` has its signature. */
export interface RescueOffered extends SentRescue {
  type: 'rescue.offered'
}

/** A test that you asked for. */
export interface WebhookTest extends SentTest {
  type: 'webhook.test'
}

/** The first question to a new URL: answer it with 200 and `challenge` as the text. */
export interface WebhookChallenge extends SentChallenge {
  type: 'webhook.challenge'
}

/** A message to a webhook that is in no log of events. */
export type WebhookNotice = WebhookPaused | RescueOffered | WebhookTest | WebhookChallenge

/** The names of their shapes. */
const NOTICES: Readonly<Record<string, string>> = {
  'webhook.paused': 'WebhookPaused',
  'rescue.offered': 'RescueOffered',
  'webhook.test': 'WebhookTest',
  'webhook.challenge': 'WebhookChallenge',
}

/** Decodes an event. Throws UnexpectedAnswerError for anything else. */
export function decodeEvent(value: unknown): RemitEvent {
  // Safe: the shape has the same source as the type.
  return decode(value, 'Event') as RemitEvent
}

/**
 * Decodes a notice; `undefined` for an event. A service that is newer than this package may have more
 * of these: they are left as they came. Throws UnexpectedAnswerError for what has such a type and another shape.
 */
export function decodeNotice(value: unknown): WebhookNotice | undefined {
  if (!isRecord(value) || typeof value.type !== 'string' || !/^(webhook|rescue)[.]/.test(value.type))
    return undefined
  const name = NOTICES[value.type]
  // Safe: the shape has the same source as the type.
  return (name === undefined ? value : decode(value, name)) as WebhookNotice
}

function decode(value: unknown, name: string): unknown {
  try {
    return decodeAnswer(value, ['named', name], shapes)
  } catch (error) {
    if (!(error instanceof ShapeMismatch)) throw error
    throw new UnexpectedAnswerError(`An event cannot be read: ${error.message}.`, { status: 200 })
  }
}
