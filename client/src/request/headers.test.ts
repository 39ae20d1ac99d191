import { describe, expect, it } from 'vitest'
import { createHeaders } from './headers.ts'

const call = { forOperators: false, hasBody: false }
const operators = { forOperators: true, hasBody: false }

describe('an API key', () => {
  it('is a bearer', () => {
    expect(createHeaders({ apiKey: 'svc_1' })(call)).toEqual({
      Accept: 'application/json',
      Authorization: 'Bearer svc_1',
    })
  })

  it('has a header of its own where Basic Auth takes the usual one', () => {
    const basicAuth = { user: 'ada', password: 'pässwörd' }
    expect(createHeaders({ apiKey: 'svc_1', basicAuth })(call)).toEqual({
      Accept: 'application/json',
      Authorization: `Basic ${Buffer.from('ada:pässwörd').toString('base64')}`,
      'X-API-Key': 'svc_1',
    })
  })
})

it('an admin secret goes to what manages keys alone, and the key not there', () => {
  const headersOf = createHeaders({ apiKey: 'svc_1', adminSecret: 'secret' })
  expect(JSON.stringify(headersOf(call))).not.toContain('secret')
  expect(headersOf(operators)).toEqual({ Accept: 'application/json', 'X-Service-Admin-Key': 'secret' })
})

it('refuses a user whose name would run into the password', () => {
  expect(() => createHeaders({ basicAuth: { user: 'a:b', password: 'hunter2' } })).toThrow(
    new TypeError('basicAuth.user cannot have a colon'),
  )
})

it('declares a body where there is one', () => {
  expect(createHeaders({})({ ...call, hasBody: true })).toEqual({
    Accept: 'application/json',
    'Content-Type': 'application/json',
  })
})

it.each(['svc_1\n', 'svc 1', '', 'sv\u010d_1'])('refuses the secret %j without repeating it', (secret) => {
  for (const name of ['apiKey', 'adminSecret']) {
    expect(() => createHeaders({ [name]: secret })).toThrow(
      new TypeError(`${name} must be visible ASCII characters without spaces or line breaks`),
    )
  }
})
