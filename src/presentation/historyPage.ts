import type { Page } from '../core/ports/history.ts'
import type { PageLimits } from '../schema/page.ts'

/** Pages of what was logged. */
export const HISTORY_PAGE: PageLimits = { default: 25, max: 100 }

/** What there is to page where the index cannot be read. */
export const NO_ROWS: Page<never> = { rows: [], hasMore: false, nextCursor: null }
