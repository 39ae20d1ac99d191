import * as z from 'zod'
import { defineOperation } from '../../../core/operation.ts'
import { ViewFailedError } from '../../../errors/chain.ts'
import { NotReadyError, SimulationFailedError } from '../../../errors/prepare.ts'
import { answerPrepare } from '../answer/answerPrepare.ts'
import { prepareOptions } from '../answer/options.ts'
import { prepareAnswer } from '../answer/prepareAnswer.ts'
import { prepareText } from '../answer/prepareText.ts'
import { planRemit } from './planRemit.ts'
import { remitAfterMidnight } from './remitAfterMidnight.ts'
import { findRemit } from './remitFindings.ts'
import { RemitReadiness, toRemitReadiness } from './remitReadiness.ts'

/** Prepares one remit(). Anybody may call it and earns the caller's fee. */
export const prepareRemit = defineOperation({
  name: 'prepare_remit',
  effect: 'prepare',
  scope: 'chain',
  apart: true,
  summary: 'Prepare one remit(), which collects what is due and pays its caller a fee',
  description:
    'One remit() clears at most one day that has anything due, and at most maxRemits subscribers: sign, send, ' +
    'and prepare again until NOTHING_DUE or REMIT_NOT_DUE.',
  rest: { method: 'POST', path: '/prepare/remit' },
  tool: {
    profiles: ['keeper'],
    text: prepareText,
  },
  buckets: ['write'],
  errors: [NotReadyError, SimulationFailedError, ViewFailedError],
  input: z.object(prepareOptions),
  output: prepareAnswer(RemitReadiness, RemitReadiness),
  async handle({ input, chain, requestId }) {
    const [findings, afterMidnight] = await Promise.all([
      findRemit(chain, input.from),
      remitAfterMidnight(chain),
    ])
    const details = toRemitReadiness(chain, findings)
    const plan = planRemit(chain, findings, { details, afterMidnight })
    return answerPrepare({ chain, requestId }, { ...plan, input })
  },
})
