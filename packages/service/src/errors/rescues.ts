import { errorOf } from '@remit/engine/errors/base'

// Errors of rescues. A rescue is a signed permit (ERC-2612) that a member leaves here, so that its provider may send it to the chain
// ("carry" it). It is "over" once its deadline has passed. The third argument of `errorOf` says, for the documents, when the error happens.

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

/** By what the permits that are kept here are counted: by each of these, with a limit of its own. */
export type RescueCount = 'wallet' | 'provider' | 'address'

/** The subject of the sentence that names the limit. */
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
