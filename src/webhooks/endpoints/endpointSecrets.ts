import type { SecretBox } from '../../store/SecretBox.ts'
import type { EndpointRow } from './toWebhook.ts'

/** What the secrets of an endpoint are sealed for. */
export function contextOf(id: string): string {
  return `webhook_endpoints ${id}`
}

/** The secrets that sign now: the newest, and for a day the one before. Throws SealedError. */
export function secretsOf(
  box: SecretBox,
  row: Pick<EndpointRow, 'id' | 'secret' | 'old_secret' | 'old_secret_until'>,
  now: number,
): readonly string[] {
  const { id, secret, old_secret: old, old_secret_until: until } = row
  const sealed = old !== null && until !== null && until > now ? [secret, old] : [secret]
  return sealed.map((one) => box.open(one, contextOf(id)))
}
