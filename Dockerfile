# Blob Storage as a container. See docs/operations/containers.md.
#   docker build -t svc-blob .
#   docker run -p 8080:8080 -p 9000:9000 -v blob-data:/data svc-blob
ARG NODE_IMAGE=node:22-bookworm-slim

FROM ${NODE_IMAGE} AS build
WORKDIR /build
ARG NPM_CONFIG_REGISTRY=https://registry.npmjs.org/
COPY package.json package-lock.json ./
RUN npm ci --no-audit --no-fund
COPY . .
RUN npm run build && npm pack --ignore-scripts --pack-destination /tmp \
  && mkdir /app && npm install --prefix /app --no-audit --no-fund --ignore-scripts --omit=dev \
    /tmp/svc-uploader-*.tgz $(node containers/peer-packages.mjs)

FROM ${NODE_IMAGE}
# Every file below /app belongs to root, so the service cannot change its own program.
COPY --from=build /app /app
RUN mkdir -m 0700 /data && chown 1000:1000 /data
USER 1000:1000
VOLUME /data
ENV NODE_ENV=production HOST=0.0.0.0 DATA_DIR=/data PATH=/app/node_modules/.bin:$PATH
EXPOSE 8080 9000
HEALTHCHECK --interval=10s --timeout=10s --start-period=30s \
  CMD ["node", "-e", "fetch('http://127.0.0.1:8080/readyz').then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["svc-blob"]
CMD ["serve"]
