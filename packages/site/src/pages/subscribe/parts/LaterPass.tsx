import { later } from '../../../design/later.tsx'

/** Few pages that open this one want a pass. */
export const LaterPass = later(async () => (await import('./Pass.tsx')).Pass)
