# A small image with coxd and cox that runs as a user of its own. coxd writes to its two volumes, and
# SQLite to /tmp; the rest can be read-only.
#
#   docker build -t coxswain .
#   docker run -d --name coxswain --read-only --tmpfs /tmp --cap-drop ALL --security-opt no-new-privileges \
#     -v coxswain-data:/var/lib/coxswain -v coxswain-run:/run/coxswain coxswain
#   docker exec coxswain cox machine list
#
# The daemon listens on a Unix socket. Other containers and the host reach it through the volume on
# /run/coxswain. The image exposes no port: coxd serves only loopback and Unix sockets, and each
# container has its own loopback. To serve the host's loopback instead (COX_SERVER is for the health
# check and for cox):
#
#   docker run -d --network host --read-only --tmpfs /tmp --cap-drop ALL --security-opt no-new-privileges \
#     -e COX_SERVER=127.0.0.1:7077 -v coxswain-data:/var/lib/coxswain \
#     coxswain --data /var/lib/coxswain --listen 127.0.0.1:7077

ARG BASE=debian:bookworm-slim

FROM $BASE AS build
WORKDIR /src
COPY deploy/install-packages deploy/
RUN deploy/install-packages server
COPY . .
# Without a registry of npm the image has no dashboard.
RUN deploy/fetch-dashboard || true
RUN cmake --preset release -DCOX_MPI=OFF -DCOX_TESTS=OFF -DCMAKE_INSTALL_SYSCONFDIR=/etc \
        -DCMAKE_INSTALL_PREFIX=/usr \
    && cmake --build build --target coxswain \
    && DESTDIR=/image cmake --install build --strip

FROM $BASE
COPY deploy/install-packages /
RUN /install-packages run \
    && rm -rf /install-packages /var/lib/apt/lists/* /var/cache/apt/* /var/log/* \
    && groupadd --gid 7077 coxswain \
    && useradd --uid 7077 --gid 7077 --no-create-home --home-dir /var/lib/coxswain \
        --shell /usr/sbin/nologin coxswain \
    && install -d -o coxswain -g coxswain -m 0750 /var/lib/coxswain /run/coxswain
COPY --from=build /image/ /
USER 7077:7077
VOLUME ["/var/lib/coxswain", "/run/coxswain"]
ENV COX_SERVER=unix:/run/coxswain/coxd.sock
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=30s --timeout=5s --start-period=10s \
    CMD ["cox", "--timeout", "3", "machine", "list"]
ENTRYPOINT ["coxd"]
CMD ["--data", "/var/lib/coxswain", "--listen", "unix:/run/coxswain/coxd.sock"]
