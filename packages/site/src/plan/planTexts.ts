import { answerNow } from '../page/live.ts'
import type { PageAnswers } from '../page/pageContents.ts'
import { strangersText } from '../words/strangersText.ts'

/** What is written about a plan, as far as the page has it. All of it is strangers' words. */
export interface PlanTexts {
  /** What its provider calls itself. */
  readonly company: string | undefined
  readonly description: string | undefined
  readonly url: string | undefined
}

/**
 * The texts of a plan, out of the page's answers: those named `profile:` with the provider, and `details:` with the id.
 * @param answers of another document, where they did not come with this page
 */
export function planTexts(
  { id, provider }: { readonly id: string; readonly provider: string },
  answers?: PageAnswers,
): PlanTexts {
  const { profile } = answerNow(`profile:${provider}`, 'getProviderProfile', answers) ?? {}
  const { details } = answerNow(`details:${id}`, 'getSubscriptionDetails', answers) ?? {}
  return {
    company: seen(profile?.company),
    description: seen(details?.description),
    url: seen(details?.url),
  }
}

/** The texts of a plan of which only the description is known. */
export function describedAs(description: string | null): PlanTexts {
  return { description: description ?? undefined, company: undefined, url: undefined }
}

/** The texts that a plan had when it was paid for, where the page came with them as `detailsThen`; else those of today. */
export function textsThen(plan: { readonly id: string; readonly provider: string }): PlanTexts {
  const [then] = answerNow('detailsThen', 'getSubscriptionDetailsHistory')?.events ?? []
  const now = planTexts(plan)
  return then === undefined ? now : { ...now, description: seen(then.description), url: seen(then.url) }
}

/** `undefined` where nothing of it can be seen. */
function seen(text: string | undefined): string | undefined {
  return text === undefined || strangersText(text) === '' ? undefined : text
}
