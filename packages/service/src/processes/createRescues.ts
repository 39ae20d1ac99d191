import type { Log } from '@remit/engine/ports/log'
import type { StoreAccess } from '../access/StoreAccess.ts'
import type { Config } from '../configuration/loadConfig.ts'
import { Rescues } from '../rescues/Rescues.ts'
import type { Store } from '../store/openStore.ts'
import { SecretBox } from '../store/SecretBox.ts'

/** The permits that are kept; `undefined` where the operator has not switched rescues on. */
export function createRescues(options: {
  readonly config: Pick<Config, 'rescues' | 'secretsKeys' | 'webhooks'>
  readonly store: Store
  readonly access: StoreAccess
  readonly log: Log
}): Rescues | undefined {
  const { config, ...rest } = options
  const [secret] = config.secretsKeys ?? []
  if (!config.rescues || config.secretsKeys === undefined || secret === undefined) return undefined
  return new Rescues({ ...rest, box: new SecretBox(config.secretsKeys), secret, webhooks: config.webhooks })
}
