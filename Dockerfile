# trendlake in a container:
#
#   docker build -t trendlake --build-arg TRENDLAKE_COMMIT=$(git rev-parse HEAD) .
#   docker run --rm -v lake:/data -e TRENDLAKE_BASE_URL=... -e TRENDLAKE_API_KEY=... trendlake sync
#
# compose.yaml runs the daemon and the service. `npm run prove image` runs the steps below in an empty
# folder without an engine, and the command that comes out of them.

FROM node:24-bookworm-slim@sha256:6f7b03f7c2c8e2e784dcf9295400527b9b1270fd37b7e9a7285cf83b6951452d AS build
WORKDIR /build
# Dependencies have their own layer, so that a change of the code does not install them again.
COPY package.json package-lock.json .npmrc ./
RUN npm ci
COPY . .
ARG TRENDLAKE_COMMIT=
RUN npm pack

FROM node:24-bookworm-slim@sha256:6f7b03f7c2c8e2e784dcf9295400527b9b1270fd37b7e9a7285cf83b6951452d
LABEL org.opencontainers.image.source=https://github.com/trendlake/trendlake org.opencontainers.image.licenses=MIT
ENV NODE_ENV=production
WORKDIR /opt/trendlake
COPY --from=build /build/trendlake-*.tgz ./
# The S3 client is an optional peer of the package; the image has it, so that `publish` works.
RUN npm install --no-audit --no-fund ./trendlake-*.tgz @aws-sdk/client-s3@3.1169.0 && rm trendlake-*.tgz && npm cache clean --force
RUN mkdir -p -m 0700 /data && chown node:node /data
ENV PATH=/opt/trendlake/node_modules/.bin:$PATH TRENDLAKE_DATA_DIR=/data XDG_CACHE_HOME=/tmp
USER node
VOLUME /data
WORKDIR /data
EXPOSE 8787
STOPSIGNAL SIGTERM
# `schedule` and `serve` in this container give signs of life; compose.yaml requests /health of the service.
HEALTHCHECK --interval=60s --timeout=10s --start-period=120s CMD ["trendlake", "health"]
ENTRYPOINT ["trendlake"]
CMD ["schedule"]
