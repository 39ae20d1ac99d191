# The service, the indexer and the keys command, with what they need at run time and nothing else.
# test/containers/ builds it with buildah and runs what comes of it.

FROM node:24.21.0-bookworm-slim AS build
WORKDIR /build
COPY package.json package-lock.json .npmrc ./
COPY packages/client/package.json packages/client/
COPY packages/contracts/package.json packages/contracts/
COPY packages/devchain/package.json packages/devchain/
COPY packages/engine/package.json packages/engine/
COPY packages/protocol/package.json packages/protocol/
COPY packages/react/package.json packages/react/
COPY packages/service/package.json packages/service/
COPY packages/site/package.json packages/site/
COPY test/package.json test/
# With the development's packages: TypeScript makes the types of the client that the service serves.
# A registry, a proxy or a certificate of your own comes in as a secret, which no layer keeps:
# docker build --secret id=npmrc,src=$HOME/.npmrc .
RUN --mount=type=secret,id=npmrc \
  NPM_CONFIG_USERCONFIG=/run/secrets/npmrc npm ci --ignore-scripts --no-audit --no-fund
COPY LICENSE tsconfig.json ./
COPY deploy deploy
COPY docs docs
COPY packages packages
RUN node --import tsx deploy/bundle.ts && mkdir data

FROM node:24.21.0-bookworm-slim AS runtime
LABEL org.opencontainers.image.title="Remit" \
      org.opencontainers.image.description="REST and MCP service over an on-chain recurring-payment protocol" \
      org.opencontainers.image.version="0.1.0" \
      org.opencontainers.image.licenses="MIT"
ENV NODE_ENV=production \
    DATABASE_URL=file:/data/remit.db
WORKDIR /app
COPY --from=build /build/dist ./
# All that it may write to, besides /tmp; with Postgres not even this.
COPY --from=build --chown=10001:10001 /build/data /data
USER 10001:10001
EXPOSE 3000
STOPSIGNAL SIGTERM
# Ready is who has heard of the default chain: that takes a moment, and its RPC.
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s --retries=3 CMD ["node", "main.js", "check"]
CMD ["node", "--enable-source-maps", "main.js"]
