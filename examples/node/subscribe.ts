// Finds a monthly plan in USDC, subscribes to it, and prints what happened.
import { createClient, NotReadyError } from '@remit/client'
import { findDevService } from '@remit/client/development'
import { createWalletClient, formatUnits, http } from 'viem'
import { mnemonicToAccount } from 'viem/accounts'
import { anvil } from 'viem/chains'

// Finds the `npm start` of this machine on any port. A program for a real chain names its service and node here.
const { REMIT_URL, RPC_URL } = process.env
const running = await findDevService({ url: REMIT_URL, rpcUrl: RPC_URL })

const remit = createClient({
  url: REMIT_URL ?? running?.url ?? 'http://127.0.0.1:3000',
  // The contract's address must not come from the service, because the wallet signs for it. Base and Base Sepolia are
  // built in. This is the development chain's contract, which has the same address on every machine.
  contracts: { 31337: '0x5FbDB2315678afecb367f032d93F642f64180aa3' },
})

// A wallet of the development chain; its key is public. On a real chain use privateKeyToAccount(…) and that chain.
const wallet = createWalletClient({
  account: mnemonicToAccount('test test test test test test test test test test test junk', {
    addressIndex: 11,
  }),
  chain: anvil,
  transport: http(RPC_URL ?? running?.rpcUrl ?? 'http://127.0.0.1:8545'),
})

const { currentDay, daysBehind } = await remit.getProtocolState()
console.log(`Today is ${currentDay.date} on the chain; remit is ${daysBehind} days behind.`)

const { tokens } = await remit.listApprovedTokens()
const usdc = tokens.find((token) => token.symbol === 'USDC')
if (usdc === undefined) throw new Error('The protocol takes no USDC here.')

// Reads one page after the other, as the loop needs them. Frequency 1 is monthly.
for await (const plan of remit.each.searchSubscriptions({ token: usdc.address, frequency: 1 })) {
  const { details } = await remit.getSubscriptionDetails({ id: plan.id })
  console.log(`${plan.amount} USDC a month from ${plan.nextDue?.date}: "${details?.description}"`)

  try {
    // Prepares, checks, has the wallet sign, sends, waits, and returns the result.
    const { firstCharge } = await remit.subscribe({ id: plan.id }).send(wallet, {
      onProgress: (progress) => {
        const { kind, step, of } = progress
        console.log(`  ${kind} ${step}/${of}${kind === 'waiting' ? `: for a ${progress.for}` : ''}`)
      },
    })
    const { toFeeBalance, toProvider } = firstCharge
    const taken = formatUnits(toFeeBalance.amountRaw + toProvider.amountRaw, usdc.decimals)
    console.log(`Subscribed: ${taken} USDC taken now, ${toProvider.amount} of it for the provider.`)

    // After its own transaction, the client's reads show the effect.
    const { subscribedTo } = await remit.getAccount({ address: wallet.account.address })
    for (const { subscription, allowanceCovers } of subscribedTo) {
      console.log(
        `Next due ${subscription.nextDue?.date}; the allowance lasts for ${allowanceCovers?.periods} charges.`,
      )
    }
    break
  } catch (error) {
    // All reasons why it cannot be done, as sentences. Run the program twice to see one.
    if (!(error instanceof NotReadyError)) throw error
    for (const { message } of error.issues) console.log(`  Not this one: ${message}`)
  }
}
