import { RemitError } from './RemitError.ts'

/** The input does not fit; `issues` names every field. */
export class ValidationError extends RemitError {}

/** There is no such subscription, approved token, key or route. */
export class NotFoundError extends RemitError {}

/** The list has changed under the cursor: start again from its first page. */
export class CursorStaleError extends RemitError {}
