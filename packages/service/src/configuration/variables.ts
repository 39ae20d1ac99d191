import type { Variable } from './defineVariable.ts'
import { BASIC_AUTH, CALLERS, CONNECTIONS, MAX_STREAMS } from './variables/callers.ts'
import { CHAIN, CHAINS_FILE } from './variables/chain.ts'
import { COMPOSE, DEVELOPMENT } from './variables/commands.ts'
import { AUTH_FAILURES, CHALLENGES, LANES, NEW_KEYS, STREAMS } from './variables/limits.ts'
import { PORTAL, SECRETS_KEY } from './variables/portal.ts'
import { KEYS, OPERATOR, SERVICE } from './variables/service.ts'
import { WEBHOOKS } from './variables/webhooks.ts'

/** Every variable that any process of this package takes from its environment. */
export const VARIABLES: readonly Variable[] = [
  ...Object.values(CHAIN),
  CHAINS_FILE,
  ...Object.values(KEYS),
  ...Object.values(SERVICE),
  ...Object.values(OPERATOR),
  ...Object.values(CALLERS),
  ...Object.values(BASIC_AUTH),
  ...Object.values(PORTAL),
  SECRETS_KEY,
  ...Object.values(WEBHOOKS),
  ...Object.values(LANES).flatMap((lane) => Object.values(lane)),
  ...Object.values(STREAMS),
  AUTH_FAILURES,
  NEW_KEYS,
  CHALLENGES,
  ...Object.values(CONNECTIONS),
  MAX_STREAMS,
  ...Object.values(DEVELOPMENT),
  ...Object.values(COMPOSE),
]
