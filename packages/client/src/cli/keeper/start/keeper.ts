import { sleep } from '../../../request/Deadline.ts'
import type { Command } from '../../Command.ts'
import { refuseOperands } from '../../commands/words.ts'
import { createJournal } from '../journal.ts'
import type { KeeperClock } from '../ports.ts'
import { startKeeper } from './startKeeper.ts'

const clock: KeeperClock = {
  now: Date.now,
  sleep: (ms, signal) => sleep(ms, signal).catch(() => {}),
}

/** `remit keeper`: watches the protocol and calls remit whenever that pays. */
export const keeper: Command = {
  name: 'keeper',
  summary: 'Watches the protocol and calls remit with a local key whenever its fees beat its gas',
  operands: '',
  options: {
    'key-file': {
      type: 'string',
      value: '<file>',
      help: 'file with the key, readable by you alone; else REMIT_KEEPER_KEY',
    },
    rpc: { type: 'string', value: '<url>', help: 'the keeper’s own node; else REMIT_RPC_URL' },
    price: {
      type: 'string',
      multiple: true,
      value: '<token>=<ETH>',
      help: 'what one token is worth; repeat it; else REMIT_PRICES, separated by commas',
    },
    'min-profit': {
      type: 'string',
      value: '<ETH>',
      help: 'send only for more than this; default 0; may be negative',
    },
    'max-fee': {
      type: 'string',
      value: '<ETH>',
      help: 'what one call may cost at most; else REMIT_MAX_FEE, else 0.01',
    },
    'trust-forecast': {
      type: 'boolean',
      help: 'believe the service what a remit pays, where the node lacks eth_simulateV1',
    },
    carry: {
      type: 'boolean',
      help: 'carry what members have permitted by signature, where the fee of a charge that it saves pays for it',
    },
    'dry-run': { type: 'boolean', help: 'do everything but sign' },
    from: { type: 'string', value: '<address>', help: 'with --dry-run: who would send, without a key' },
    once: { type: 'boolean', help: 'end as soon as there is nothing to be done for now' },
    interval: { type: 'string', value: '<seconds>', help: 'look at least so often; default 300' },
    'bump-after': {
      type: 'string',
      value: '<seconds>',
      help: 'raise the fees of what nobody mines; default 120',
    },
    drain: { type: 'string', value: '<seconds>', help: 'wait for a receipt when asked to end; default 60' },
    contract: {
      type: 'string',
      value: '<address>',
      help: 'the protocol’s contract; needed unless the chain is Base or Base Sepolia',
    },
  },
  notes:
    'The chain is --chain, else that of the keeper’s own node; what is signed, and whether it pays, comes from there too.\n' +
    'A token without a price counts 0: no price is made up. The key must be one that nothing else sends with.\n' +
    'What a keeper earns and risks is on the service’s page docs/command-line.md.',
  async run(invocation) {
    const { operands, signal, terminal, json } = invocation
    refuseOperands('keeper', operands)
    const journal = createJournal(terminal, clock, json)
    const { keeper, message, facts } = await startKeeper(invocation, { clock, journal })
    journal.tell('started', message, facts)
    try {
      await keeper.run(signal)
    } finally {
      journal.tell('stopped', keeper.totals.sentence(), keeper.totals.facts())
    }
    return undefined
  },
}
