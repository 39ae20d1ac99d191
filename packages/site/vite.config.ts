import { fileURLToPath } from 'node:url'
import preact from '@preact/preset-vite'
import { defineConfig, type Plugin } from 'vite'

const path = (file: string) => fileURLToPath(new URL(file, import.meta.url))

/** Leaves the client's code for private keys and event streams out of the build: no page uses either. */
const forPages: Plugin = {
  name: 'for pages',
  enforce: 'pre',
  resolveId: (source) =>
    /\/(KeyTransaction|streamEvents)\.ts$/.test(source)
      ? fileURLToPath(import.meta.resolve('@remit/client/pack/leftOut'))
      : undefined,
}

export default defineConfig({
  root: path('.'),
  // Files find each other by relative addresses: a proxy may put a path before all of them.
  base: './',
  // Nothing of a developer's machine is put into what is built.
  envDir: false,
  publicDir: false,
  plugins: [forPages, preact({ devToolsEnabled: false })],
  build: {
    outDir: 'dist',
    assetsDir: 'assets',
    target: 'es2022',
    manifest: true,
    // The content policy has no place for what is inline.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      input: { main: path('src/main.ts') },
      output: {
        // What all pages share is one file, because on a slow line each file costs a wait. What only some pages need is
        // excluded (`(?!…)`): a page that signs nothing must not load what signs.
        codeSplitting: {
          groups: [
            {
              name: 'shared',
              test: /\/site\/src\/(design(?:\/frame|\/values)?|page|words|plan|wallet)\/(?!frame\/|values\/|Chart|Table\.|Menu|Qr|PlanCard|Provider\.|eventWords|Pages|pagesFrom|memberWords|drawChart|drawQr|openSigning|AddMoney|later|PaidSum|sums|sumColumns|TroubledTable|Uncollected|movingDates|dropReasons|failing|reasonWords|receiptLink|signing\.|walletConnect\.|testWallet\.|tokenReads)|\/site\/src\/subject\/(useTitle|PaperBlock)|\/client\/src\/(call|errors|request|sending\/SendingError|generated\/(operations|errors)|createApiClient)|\/node_modules\/(preact|@preact|mipd)\//,
              minShareCount: 2,
            },
            {
              // What a payment comes to: whoever shows one needs both.
              name: 'rules',
              test: /\/protocol\/src\/(fees|charges\/decideCharge)\./,
              minShareCount: 2,
            },
            {
              // Small parts that the subscribe page always shows, and what it loads later shows too.
              name: 'checkout',
              test: /\/pages\/subscribe\/(terms\/worsened|parts\/(MainAct|DueNow))\./,
              minShareCount: 2,
            },
            {
              // Permissions by signature: small parts, of which nobody needs one alone.
              name: 'permit',
              test: /\/site\/src\/permit\/(seenSigned|signedRaw|Permitted|permitInput|carryRequest)\./,
              minShareCount: 2,
            },
            {
              // What adds money up for books.
              name: 'books',
              test: /\/site\/src\/(plan\/(sums|sumColumns|receiptLink)|spreadsheet\/(CsvButton|dueDate|feeOf|finalWord))/,
              minShareCount: 2,
            },
            {
              // What the pages of one's own wallet share: one file instead of many small ones.
              name: 'own',
              test: /\/site\/src\/(subject\/(?!useTitle|PaperBlock)|spreadsheet\/csv|words\/(dropReasons|failing)|design\/frame\/Freshness)/,
              minShareCount: 2,
            },
            {
              // What one's own subscriptions and their dialogs, loaded later, share.
              name: 'subscriptions',
              test: /\/pages\/me\/(verdicts|memberships|addMoney|Permission|handOver\/handOver|payments\/Payments)\./,
              minShareCount: 2,
            },
            {
              // What sections of the desk share, and its first sight does not show.
              name: 'sections',
              test: /\/desk\/(payments\/PlanLink|members\/isSoon|RecordBehind|TablePages|tablePlace|CsvFile)|\/words\/reasonWords\./,
              minShareCount: 2,
            },
            {
              // Tables, and what stands beside them on the desk and on a plan's page.
              name: 'tables',
              test: /\/site\/src\/(design\/values\/Table|plan\/(PaidSum|Uncollected))\./,
              minShareCount: 2,
            },
            {
              // Named so that the next groups do not draw it in: all who sign load it.
              name: 'sponsor',
              test: /\/site\/src\/signing\/sponsor\./,
              minShareCount: 2,
            },
            {
              // And this: pages load it at first sight.
              name: 'lack',
              test: /\/site\/src\/signing\/etherLack\./,
              minShareCount: 2,
            },
            {
              // What a review ends with: the fee, and who pays it.
              name: 'review',
              test: /\/site\/src\/signing\/(ReviewFoot|Spender|Sponsored)\./,
              minShareCount: 2,
            },
            {
              // Small parts of viem that signing loads with this one.
              name: 'isAddress',
              test: /\/viem\/_esm\/utils\/address\/(isAddress|isAddressEqual)\./,
              minShareCount: 2,
            },
            {
              // What reads and writes calls, of which whoever signs needs all.
              name: 'calls',
              test: /\/viem\/_esm\/utils\/abi\/(decodeErrorResult|encodeFunctionData|decodeFunctionData|decodeFunctionResult)\./,
              minShareCount: 2,
            },
            {
              // What every signing loads of the client beside its main file.
              name: 'ownNode',
              test: /\/client\/src\/(node\/OwnNode|events\/Watch)\./,
              minShareCount: 2,
            },
            {
              // What a provider signs, and the forms for it.
              name: 'publish',
              test: /\/desk\/(signingRequests|plans\/(DetailFields|Held|Share))\./,
              minShareCount: 2,
            },
          ],
        },
      },
    },
  },
})
