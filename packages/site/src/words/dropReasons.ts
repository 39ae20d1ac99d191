/** Why a payment failed that ended its subscription, by the reason that the service names. */
const REASONS: Readonly<Record<string, string>> = {
  allowance: 'The permission was too small.',
  balance: 'The wallet held too little money.',
  both: 'The wallet held too little money, and the permission was too small.',
  unknown: 'Whether money or permission was missing is not known.',
}

/** The reason as a sentence; empty where there is none, or one that this page does not know. */
export function dropReasonWords(reason: string | null): string {
  return Object.entries(REASONS).find(([name]) => name === reason)?.[1] ?? ''
}
