import { errorOf } from '@remit/engine/errors/base'

// Errors of rescues: signed permits that members leave here for their providers to carry.

export class RescuesOffError extends errorOf(404, 'NOT_FOUND', 'the operator has not switched rescues on') {
  constructor() {
    super('This service keeps no signed permits: its operator has not switched rescues on.')
  }
}

export class RescueNotFoundError extends errorOf(404, 'NOT_FOUND', 'the wallet has no such permit here') {
  constructor(id: string) {
    super(`Your wallet has left no permit ${id} here: it may be used, over or withdrawn.`)
  }
}

/** What the permits that are kept are counted by, each with a limit of its own. */
export type RescueCount = 'wallet' | 'provider' | 'address'

const HOLDERS: Readonly<Record<RescueCount, string>> = {
  wallet: 'This wallet',
  provider: 'This provider',
  address: 'Your network address',
}

export class MaxRescuesError extends errorOf(
  409,
  'MAX_RESCUES',
  'as many permits are kept of the wallet, for the provider or from the network address as may be',
) {
  constructor(of: RescueCount, maxRescues: number) {
    super(
      `${HOLDERS[of]} has ${maxRescues} permits here, the maximum. One goes when it is carried, over or withdrawn.`,
      { facts: { of, maxRescues } },
    )
  }
}
