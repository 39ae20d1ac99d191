/**
 * A server that hears webhooks and writes to subscribers: before a payment of theirs fails, and when it will not fail any more.
 *
 * WEBHOOK_SECRET=whsec_… CUSTOMERS=customers.json SMTP_URL=smtp://127.0.0.1:2525 npm start
 */
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'
import { verifyWebhook, type WebhookMessage, WebhookVerificationError } from '@remit/client'
import { createTransport } from 'nodemailer'
import { type Letter, letterOf, retractionOf } from './letters.ts'
import { SentMails } from './SentMails.ts'

const {
  REMIT_URL = 'http://127.0.0.1:3000',
  WEBHOOK_SECRET = '',
  CUSTOMERS = 'customers.json',
  SENT = 'sent.jsonl',
  SMTP_URL = 'smtp://127.0.0.1:2525',
  MAIL_FROM = 'billing@shop.example',
  PORT = '4000',
} = process.env
/** The mail addresses of wallets. Only you know them: the chain does not. */
const customers = new Map<string, string>(Object.entries(JSON.parse(readFileSync(CUSTOMERS, 'utf8'))))
const sent = new SentMails(SENT)
const smtp = createTransport(SMTP_URL)

async function hear(event: WebhookMessage): Promise<void> {
  if (event.type === 'retracted') {
    // A mail cannot be taken back, so a second one corrects it.
    for (const id of event.data.ids) {
      const mail = sent.find(id)
      if (mail !== undefined) await send(mail.account, retractionOf(mail.day))
      sent.forget(id)
    }
    return
  }
  if (event.type !== 'payment.at_risk' && event.type !== 'payment.safe_again') return
  const { account } = event.subject
  // The same event can come twice.
  if (account === null || sent.find(event.id) !== undefined) return
  const day = event.data.dueDay.date
  await send(account, letterOf(event))
  // Afterwards: a process that is killed in between writes twice, rather than never.
  sent.keep({ id: event.id, account, day })
}

async function send(account: string, { subject, lines }: Letter): Promise<void> {
  const to = customers.get(account)
  if (to === undefined) return
  const page = `${REMIT_URL}/me?address=${account}`
  await smtp.sendMail({ from: MAIL_FROM, to, subject, text: [...lines, '', page, ''].join('\n') })
}

/** One after the other, so that two deliveries of one event cannot pass each other. */
let last: Promise<void> = Promise.resolve()

const server = createServer(async (request, response) => {
  const body = await text(request)
  try {
    // The first question to a new URL comes before anybody can know the secret.
    const challenge = challengeIn(body)
    if (challenge !== undefined) return response.setHeader('Content-Type', 'text/plain').end(challenge)
    const event = await verifyWebhook(request.headers, body, WEBHOOK_SECRET)
    const done = last.then(() => hear(event))
    last = done.catch(() => {})
    await done
    response.end('heard')
  } catch (error) {
    // What is not answered with 2xx comes again.
    response.statusCode = error instanceof WebhookVerificationError ? 401 : 500
    response.end('not heard\n')
    console.error(error instanceof Error ? error.message : error)
  }
})

function challengeIn(body: string): string | undefined {
  const { type, challenge } = JSON.parse(body)
  return type === 'webhook.challenge' ? String(challenge) : undefined
}

server.listen(Number(PORT), '127.0.0.1', () => {
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : PORT
  console.log(`Webhooks are heard at http://127.0.0.1:${port}`)
})
