import type { Chains } from '@remit/engine/chain/Chains'
import type { Log } from '@remit/engine/ports/log'
import type { PassesPort } from '@remit/engine/ports/passes'
import { Passes } from '../access/passes/Passes.ts'
import type { StoreAccess } from '../access/StoreAccess.ts'
import { type PortalRule, Sessions } from '../access/sessions/Sessions.ts'
import type { Config } from '../configuration/loadConfig.ts'
import { noPasses } from '../ports/portal.ts'
import type { Store } from '../store/openStore.ts'
import { SecretBox } from '../store/SecretBox.ts'
import type { OwnAddress } from './OwnAddress.ts'

/** Wires what wallets sign in for: sessions, and passes where the operator has switched them on. */
export function createPortal(options: {
  readonly config: Config
  readonly store: Store
  readonly access: StoreAccess
  readonly chains: Chains
  readonly address: OwnAddress
  readonly log: Log
  readonly now: () => number
}): { readonly sessions: Sessions; readonly passes: PassesPort } {
  const { config, store, access, chains, address, log, now } = options
  const sessions = new Sessions({
    store,
    access,
    now,
    portal: ruleOf(config),
    forMembers: config.passes || config.rescues,
    origins: () => address.origins(),
    chainIds: new Set(chains.rows.filter(({ rest }) => rest).map(({ chainId }) => chainId)),
    keysChainId: config.defaultChainId,
    askContract: (chainId, claim) => chains.withView(chainId, {}, (view) => view.isSignedByContract(claim)),
  })
  const { passes, secretsKeys, passGraceDays: graceDays } = config
  if (!passes || secretsKeys === undefined) return { sessions, passes: noPasses }
  const box = new SecretBox(secretsKeys)
  const issuer = () => address.url
  return { sessions, passes: new Passes({ store, access, box, log, now, graceDays, issuer }) }
}

function ruleOf({ portal, portalWallets = [] }: Config): PortalRule {
  if (portal !== 'allowlist') return portal
  return { listed: new Set(portalWallets.map((wallet) => wallet.toLowerCase())) }
}
