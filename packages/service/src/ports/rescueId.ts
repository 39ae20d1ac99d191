import * as z from 'zod'

export const RescueId = z
  .string()
  .regex(/^rescue_[0-9a-f]{32}$/, 'must be the id of a rescue')
  .describe('Id of the permit that is kept.')
