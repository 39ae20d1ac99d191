/** Why a server gave no answer, in a sentence, by what the service calls it. */
const REASONS: Readonly<Record<string, string>> = {
  name: 'No server of this name was found.',
  forbidden_address: 'Its address is not a public one.',
  connection: 'No connection could be made.',
  timeout: 'It took too long.',
}

/** Why a webhook's server gave no answer. @param failure as the service names it */
export function noAnswerWords(failure: unknown): string {
  return REASONS[String(failure)] ?? 'It gave no answer.'
}
