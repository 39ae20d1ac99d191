import { fileURLToPath } from 'node:url'
import preact from '@preact/preset-vite'
import { defineConfig } from 'vite'

const path = (file: string) => fileURLToPath(new URL(file, import.meta.url))

export default defineConfig({
  root: path('.'),
  // Files find each other by relative addresses: a proxy may put a path before all of them.
  base: './',
  // Nothing of a developer's machine is put into what is built.
  envDir: false,
  publicDir: false,
  plugins: [preact({ devToolsEnabled: false })],
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
        // What all pages share is one file: on a slow line each file more costs a wait.
        codeSplitting: {
          groups: [
            {
              name: 'shared',
              test: /\/site\/src\/(design|page|words|plan|wallet)\/(?!Chart|Qr|drawChart|drawQr|signing\.|walletConnect\.)|\/client\/src\/(call|errors|request|generated\/(operations|errors)|createApiClient)|\/node_modules\/(preact|@preact|mipd)\//,
              minShareCount: 2,
            },
          ],
        },
      },
    },
  },
})
