# trendlake in a container:
#
#   docker build -t trendlake --build-arg TRENDLAKE_COMMIT=$(git rev-parse HEAD) .
#   docker run --rm -v lake:/data -e TRENDLAKE_BASE_URL=... -e TRENDLAKE_API_KEY=... trendlake sync
#
# compose.yaml runs the daemon and the service. `npm run prove image` runs the steps below in an empty
# folder without an engine, and the command that comes out of them.

FROM node:24-bookworm-slim AS build
WORKDIR /build
COPY . .
ARG TRENDLAKE_COMMIT=
RUN npm ci --no-audit --no-fund
RUN npm pack

FROM node:24-bookworm-slim
ENV NODE_ENV=production
WORKDIR /opt/trendlake
COPY --from=build /build/trendlake-*.tgz ./
RUN npm install --no-audit --no-fund ./trendlake-*.tgz && rm trendlake-*.tgz
RUN mkdir -p -m 0700 /data && chown node:node /data
ENV PATH=/opt/trendlake/node_modules/.bin:$PATH TRENDLAKE_DATA_DIR=/data XDG_CACHE_HOME=/tmp
USER node
VOLUME /data
WORKDIR /data
EXPOSE 8787
STOPSIGNAL SIGTERM
# The lake can be opened and read; compose.yaml asks the service for its own health.
HEALTHCHECK --interval=60s --timeout=10s --start-period=120s CMD ["trendlake", "status", "--json", "--quiet"]
ENTRYPOINT ["trendlake"]
CMD ["schedule"]
