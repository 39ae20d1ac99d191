import { execFile } from 'node:child_process'
import { generateKeyPairSync } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { mintSecret, signedHeaders } from '@remit/service/testing/webhooks/signing/signatures'
import { afterAll, describe, expect, it } from 'vitest'
import { snippetsOf } from '../readme/snippets.ts'
import { findProgram } from '../support/programs/installed.ts'

const folder = mkdtempSync(join(tmpdir(), 'remit-verify-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const [secret, old] = [mintSecret(), mintSecret()]
const { privateKey } = generateKeyPairSync('ed25519')
const body = JSON.stringify({ type: 'payment.failed', data: { text: 'Grüße, 世界' } })
const message = { id: 'evt_1', timestamp: 1_800_000_000, body }
const headers = signedHeaders(message, [secret], privateKey)

/** What a receiver gets, and whether it is the service's. */
const CASES = [
  { headers, body, secret, good: true },
  { headers: signedHeaders(message, [secret, old], privateKey), body, secret: old, good: true },
  { headers, body: `${body} `, secret, good: false },
  { headers, body, secret: old, good: false },
  { headers: { ...headers, 'webhook-id': 'evt_2' }, body, secret, good: false },
  { headers: { ...headers, 'webhook-signature': 'v1,AAAA' }, body, secret, good: false },
]

const ANSWERS = CASES.map(({ good }) => `${good}\n`).join('')

/** The snippet of this language in the guide. */
function snippet(language: string): string {
  const found = snippetsOf('docs/webhooks.md').filter((one) => one.language === language)
  expect(found).toHaveLength(1)
  return found[0]?.text ?? ''
}

const indented = (text: string) => text.replace(/^/gm, '        ')

/** Runs a program that says of each case whether it is good. */
function run(program: string, args: readonly string[]): Promise<string> {
  writeFileSync(join(folder, 'cases.json'), JSON.stringify(CASES))
  return new Promise((resolve, reject) => {
    execFile(program, args, { cwd: folder }, (error, out, said) =>
      error === null ? resolve(out) : reject(new Error(said)),
    )
  })
}

const python = findProgram('python3')

describe.skipIf(python === undefined)('the guide’s lines in Python', () => {
  it('take what the service signed, and nothing else', async () => {
    const script = `import json
for case in json.load(open("cases.json")):
    headers, body, secret = case["headers"], case["body"].encode(), case["secret"]
    try:
${indented(snippet('python'))}
        print("true")
    except AssertionError:
        print("false")
`
    writeFileSync(join(folder, 'verify.py'), script)
    expect(await run(python ?? '', ['verify.py'])).toBe(ANSWERS)
  })
})

const go = findProgram('go', ['/usr/local/go/bin', '/usr/lib/go/bin'])

describe.skipIf(go === undefined)('the guide’s lines in Go', () => {
  it('take what the service signed, and nothing else', async () => {
    const program = `package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
)

type Headers map[string]string

func (h Headers) Get(name string) string { return h[name] }

func verify(h Headers, body []byte, secret string) bool {
${indented(snippet('go'))}
	return ok
}

func main() {
	var cases []struct {
		Headers      Headers
		Body, Secret string
	}
	text, _ := os.ReadFile("cases.json")
	if err := json.Unmarshal(text, &cases); err != nil {
		panic(err)
	}
	for _, one := range cases {
		fmt.Println(verify(one.Headers, []byte(one.Body), one.Secret))
	}
}
`
    writeFileSync(join(folder, 'verify.go'), program)
    expect(await run(go ?? '', ['run', 'verify.go'])).toBe(ANSWERS)
  }, 120_000)
})
