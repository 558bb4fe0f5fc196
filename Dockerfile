# The service of live matches: docs/operate/deploy.md#container says how to build and run it.
FROM python:3.11-slim AS build
WORKDIR /source
COPY LICENSE README.md constraints.txt pyproject.toml ./
COPY src ./src
RUN python -m venv /opt/firstmover \
    && /opt/firstmover/bin/python -m pip install --no-cache-dir --disable-pip-version-check \
        --constraint constraints.txt '.[web,postgres]'

FROM python:3.11-slim
RUN useradd --system --uid 10001 --create-home --home-dir /data firstmover
COPY --from=build /opt/firstmover /opt/firstmover
COPY container/serve /opt/firstmover/bin/serve-container
COPY container/healthy.py /opt/firstmover/healthy.py
ENV PATH=/opt/firstmover/bin:$PATH \
    FIRSTMOVER_PORT=8642 \
    FIRSTMOVER_LOG_FORMAT=json \
    FIRSTMOVER_LOG_LEVEL=info \
    MPLCONFIGDIR=/tmp \
    OPENBLAS_NUM_THREADS=1 \
    PYTHONDONTWRITEBYTECODE=1
USER 10001
WORKDIR /data
VOLUME /data
EXPOSE 8642
HEALTHCHECK --interval=30s --timeout=5s --start-period=30s CMD ["python", "/opt/firstmover/healthy.py"]
ENTRYPOINT ["serve-container"]
