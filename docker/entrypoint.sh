#!/bin/sh
# Starts one role of the product, after what it needs has answered.
#     entrypoint.sh web | worker | beat | mcp | embedder | migrate | manage COMMAND…
# WAIT_ATTEMPTS (10) and WAIT_SECONDS (5) say how long a service is waited for.
set -eu

attempts=${WAIT_ATTEMPTS:-10}
pause=${WAIT_SECONDS:-5}
temporary=${TMPDIR:-/tmp}
cd "$(dirname "$0")/.."

say() {
    echo "hindsight: $*" >&2
}

need_settings() { # Without them manage.py would start servers of its own, in a container that ends.
    if [ -z "${DATABASE_URL:-}" ] || [ -z "${REDIS_URL:-}" ]; then
        say "Set DATABASE_URL and REDIS_URL: in a container there are no servers of its own."
        exit 1
    fi
}

wait_for() { # wait_for SERVICE…
    for service in "$@"; do
        attempt=1
        until reason=$(python docker/probe.py "$service" 2>&1); do
            say "The $service does not answer yet (attempt $attempt of $attempts): $reason"
            if [ "$attempt" -ge "$attempts" ]; then
                say "The $service did not come. Check that it runs and that its address and" \
                    "password are right, then start the $role again."
                exit 1
            fi
            attempt=$((attempt + 1))
            sleep "$pause"
        done
    done
}

role=${1:-}
[ $# = 0 ] || shift
echo "$role" >"$temporary/hindsight-role"

case "$role" in
web)
    need_settings
    wait_for database redis embedder
    exec gunicorn hindsight_site.wsgi --bind 0.0.0.0:8000 --worker-class gthread \
        --workers "${WEB_WORKERS:-2}" --threads "${WEB_THREADS:-8}" --worker-tmp-dir /dev/shm \
        --graceful-timeout 20 --no-control-socket "$@"
    ;;
worker)
    need_settings
    wait_for database redis embedder
    exec celery -A hindsight_site worker --pool threads \
        --concurrency "${WORKER_CONCURRENCY:-4}" --loglevel "${LOG_LEVEL:-INFO}" \
        --without-gossip --without-mingle "$@"
    ;;
beat)
    need_settings
    wait_for redis
    exec celery -A hindsight_site beat --schedule "$temporary/hindsight-beat" --pidfile "" \
        --loglevel "${LOG_LEVEL:-INFO}" "$@"
    ;;
mcp)
    need_settings
    wait_for database redis embedder
    exec python manage.py run_mcp --http "$@"
    ;;
embedder)
    exec python manage.py run_embedder --host 0.0.0.0 --port 8001 "$@"
    ;;
migrate)
    need_settings
    wait_for database
    exec python manage.py migrate --no-input "$@"
    ;;
manage)
    need_settings
    exec python manage.py "$@"
    ;;
*)
    say "Unknown role '$role': use web, worker, beat, mcp, embedder, migrate, or manage COMMAND."
    exit 2
    ;;
esac
