# One image for the producer and the workers; docker-compose.yml chooses which of them a container runs.

# The manifests alone, so that the installed dependencies stay cached while only sources change.
FROM node:22.21.1-slim AS manifests
WORKDIR /app
COPY package.json package-lock.json ./
COPY packages packages
COPY apps apps
RUN find packages apps -type f ! -name package.json -delete \
  && find packages apps -type d -empty -delete

FROM node:22.21.1-slim AS build
WORKDIR /app
COPY --from=manifests /app ./
# No package needs its install script.
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY turbo.json tsconfig.base.json ./
COPY packages packages
COPY apps apps
RUN npm run build \
  && npm prune --omit=dev --ignore-scripts --no-audit --no-fund \
  && rm -rf packages/*/src apps/*/src packages/*/.turbo apps/*/.turbo node_modules/.cache .turbo

FROM node:22.21.1-slim
ENV NODE_ENV=production
WORKDIR /app
# Owned by root: the running process cannot change its own code.
COPY --from=build /app ./
COPY drizzle drizzle
COPY LICENSE ./
# A volume that is mounted here belongs to the process that writes there.
RUN install -d -o node -g node -m 0700 /var/spool/slowwave
USER node
CMD ["node", "apps/producer/dist/main.js"]
