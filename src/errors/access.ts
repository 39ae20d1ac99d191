import { errorOf } from './base.ts'

export class UnauthorizedError extends errorOf(401, 'UNAUTHORIZED', 'the credentials are not live ones') {}

export class ForbiddenError extends errorOf(403, 'FORBIDDEN', 'the Host or the Origin is not allowed') {}

export class RateLimitedError extends errorOf(429, 'RATE_LIMITED', 'a limit of the lane is reached') {}
