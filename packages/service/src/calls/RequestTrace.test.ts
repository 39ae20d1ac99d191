import { describe, expect, it } from 'vitest'
import { RequestTrace, readTraceparent } from './RequestTrace.ts'

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736'
const PARENT = '00f067aa0ba902b7'

describe('traceparent', () => {
  it.each([
    ['as of today', `00-${TRACE}-${PARENT}-01`, '01'],
    ['that nobody records', `00-${TRACE}-${PARENT}-00`, '00'],
    ['with bits that nobody knows yet', `00-${TRACE}-${PARENT}-fd`, '01'],
    ['of a later version, with more at its end', `cc-${TRACE}-${PARENT}-01-what-the-future-will-be`, '01'],
  ])('is read: one %s', (_what, header, flags) => {
    expect(readTraceparent(header)).toEqual({ traceId: TRACE, parentId: PARENT, flags })
  })

  it.each([
    ['missing', undefined],
    ['empty', ''],
    ['in capitals', `00-${TRACE.toUpperCase()}-${PARENT}-01`],
    ['of a version that is none', `ff-${TRACE}-${PARENT}-01`],
    ['with more at its end than its version has', `00-${TRACE}-${PARENT}-01-more`],
    ['without a trace', `00-${'0'.repeat(32)}-${PARENT}-01`],
    ['without a parent', `00-${TRACE}-${'0'.repeat(16)}-01`],
    ['too short', `00-${TRACE}-${PARENT.slice(1)}-01`],
    ['sent twice', `00-${TRACE}-${PARENT}-01, 00-${TRACE}-${PARENT}-01`],
    ['with what is no header', `00-${TRACE}-${PARENT}-01\r\nX-Evil: 1`],
  ])('is not believed where it is %s', (_what, header) => {
    expect(readTraceparent(header)).toBeUndefined()
  })

  it('goes on in the trace of the caller, with a parent of its own', () => {
    const trace = new RequestTrace({ traceparent: `00-${TRACE}-${PARENT}-01` })
    const passedOn = readTraceparent(trace.traceparent)
    expect(passedOn).toMatchObject({ traceId: TRACE, flags: '01' })
    expect(passedOn?.parentId).not.toBe(PARENT)
    expect(trace.toolCall().traceparent).toBe(trace.traceparent)
    expect(trace.ended()).toMatchObject({ traceId: TRACE, parentId: PARENT })
  })

  it('begins a trace where the caller has none, and ends with the request', () => {
    const trace = new RequestTrace({ traceparent: 'nonsense' })
    const begun = readTraceparent(trace.traceparent)
    expect(begun).toMatchObject({ traceId: trace.requestId.replaceAll('-', ''), flags: '00' })
    expect(trace.ended()).toMatchObject({ traceId: begun?.traceId, parentId: undefined })
    // What a request leaves running is no part of it.
    expect(trace.traceparent).toBeUndefined()
  })
})
