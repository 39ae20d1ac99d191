import { RemitError, type SignedPermit } from '@remit/client'
import { promptApi } from '../../page/api.ts'
import { answersAt } from '../../page/live.ts'
import type { PageAnswers } from '../../page/pageContents.ts'
import { permitInput } from '../../permit/permitInput.ts'
import { openSigning } from '../../wallet/openSigning.ts'
import type { ConnectedWallet } from '../../wallet/wallet.ts'

/** What carrying a permission would do, and the answers with the names of its owner's plans. */
export interface Permission {
  readonly readiness: Readiness
  /** The answers of the owner's page `/me`; empty where nobody gave them. */
  readonly answers: PageAnswers
}

type Readiness = Awaited<ReturnType<typeof readinessOf>>
/** The part of the readiness about the permission itself: its owner, its token, and the allowance before and after. */
export type Carried = Readiness['details']

/** What carrying a permission would do, as the connected wallet's node says, or without a wallet the service. */
async function readinessOf(signed: SignedPermit, now: ConnectedWallet | undefined) {
  if (now !== undefined) {
    const { client } = await openSigning(now)
    return client.carryPermit(signed).readiness(now.address)
  }
  const { issues = [], details } = await promptApi.prepareCarryPermit({
    ...permitInput(signed),
    from: signed.owner,
    readinessOnly: true,
  })
  if (details === undefined) throw new TypeError('The service said nothing of the permission')
  return { issues, details }
}

/** Reads both at once. Throws where it is void, or where nobody answers. */
export async function readPermission(
  signed: SignedPermit,
  now: ConnectedWallet | undefined,
): Promise<Permission> {
  const [readiness, answers] = await Promise.all([
    readinessOf(signed, now),
    // Without the names the page shows ids.
    answersAt('/me', { address: signed.owner }).catch((): PageAnswers => ({})),
  ])
  return { readiness, answers }
}

const FLAWS: Readonly<Record<string, string>> = {
  expired: 'It is too late: this link could be used until its end, and that has passed.',
  used: 'This link is used: the permission was carried already, or its owner has used another one since.',
  usedBack:
    'This link is used: the permission was taken back by it already, or its owner has used another one since.',
  signature: 'This permission is not valid: its owner’s wallet has not signed just this.',
}

/**
 * Why a permission cannot be carried, in a sentence; `undefined` for every other error.
 * @param takesBack whether it takes the permission back, and gives none
 */
export function voidWords(error: unknown, takesBack: boolean): string | undefined {
  if (!(error instanceof RemitError)) return undefined
  if (error.code === 'PERMIT_UNSUPPORTED')
    return 'Its token does not take permissions that are signed and carried by others, or not from such a wallet.'
  if (error.code === 'PERMIT_VOID') {
    const flaw = String(error.facts.flaw)
    return FLAWS[flaw === 'used' && takesBack ? 'usedBack' : flaw] ?? FLAWS.signature
  }
  // The amount in the link does not fit its token, or the token is none.
  return error.status === 400 ? FLAWS.signature : undefined
}
