"""All settings, read from the environment; every name is listed in docs/configuration.md."""

from pathlib import Path

import environ
from csp.constants import NONE, SELF

BASE_DIR = Path(__file__).resolve().parent.parent
env = environ.Env()

HINDSIGHT_HOME = Path(env.str("HINDSIGHT_HOME", str(BASE_DIR / "var")))
DEBUG = env.bool("DEBUG", False)
# manage.py up makes a key and keeps it in HINDSIGHT_HOME; elsewhere the operator sets it.
SECRET_KEY = env.str("SECRET_KEY", "insecure-development-key")
# Former keys: sessions and tombstones made with them still count.
SECRET_KEY_FALLBACKS = env.list("SECRET_KEY_FALLBACKS", default=[])
ALLOWED_HOSTS = env.list("ALLOWED_HOSTS", default=["127.0.0.1", "localhost", "[::1]"])
CSRF_TRUSTED_ORIGINS = env.list("CSRF_TRUSTED_ORIGINS", default=[])

INSTALLED_APPS = [
    "hindsight_site",
    "hindsight_site.accounts",
    "memories",
    "review",
    "mcp_bridge",
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "django.contrib.postgres",
    "axes",
    "csp",
    "django_htmx",
    "rest_framework",
    "rest_framework.authtoken",
    "drf_spectacular",
    "drf_spectacular_sidecar",
]

MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "csp.middleware.CSPMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.locale.LocaleMiddleware",
    "hindsight_site.zone.ViewersZone",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "axes.middleware.AxesMiddleware",
]

ROOT_URLCONF = "hindsight_site.urls"
WSGI_APPLICATION = "hindsight_site.wsgi.application"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.template.context_processors.i18n",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "memories.pages.context.shell",
                "review.context.open_flags",
            ],
            "libraries": {
                "hindsight": "memories.pages.tags",
                "review": "review.pages.tags",
            },
        },
    },
]

# --- Data -----------------------------------------------------------------------------------------
DATABASES = {
    "default": env.db_url("DATABASE_URL", "postgresql://hindsight@127.0.0.1:5432/hindsight")
}
DATABASES["default"] |= {
    # Pool and health check together let a long-lived process survive killed backends.
    "CONN_MAX_AGE": 0,
    "CONN_HEALTH_CHECKS": True,
    # What the URL says (sslmode, application_name) stays.
    "OPTIONS": DATABASES["default"].get("OPTIONS", {})
    | {
        "pool": {
            "min_size": 0,
            "max_size": env.int("DATABASE_POOL", 12),
            "timeout": 10,
            # As long as someone waits. The pool's retries double their pause, by default up to
            # minutes: after a long outage that would last on.
            "reconnect_timeout": 10,
        },
        "connect_timeout": 5,
        # Recall's statements take as long to plan as to carry out: each connection prepares
        # them when it first meets them. No other statement is prepared.
        "prepare_threshold": 0 if env.bool("DATABASE_PREPARE", True) else None,
    },
}
REDIS_URL = env.str("REDIS_URL", "redis://127.0.0.1:6379/0")
CACHES = {
    "default": {
        "BACKEND": "django.core.cache.backends.redis.RedisCache",
        "LOCATION": REDIS_URL,
        "KEY_PREFIX": "hindsight",
        "OPTIONS": {"socket_connect_timeout": 1, "socket_timeout": 2},
    }
}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

# --- Celery ---------------------------------------------------------------------------------------
CELERY_BROKER_URL = REDIS_URL
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_ACKS_LATE = True
CELERY_TASK_REJECT_ON_WORKER_LOST = True
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
# A web process must answer while the broker is away: the row waits, the sweep below finds it.
CELERY_BROKER_TRANSPORT_OPTIONS = {"socket_connect_timeout": 1, "socket_timeout": 5}
CELERY_BEAT_SCHEDULE = {
    "consider-waiting-items": {"task": "review.consider_waiting", "schedule": 30.0},
    "embed-waiting-memories": {"task": "memories.embed_waiting", "schedule": 30.0},
    "distil-waiting-sessions": {"task": "memories.distil_waiting", "schedule": 30.0},
    "end-idle-sessions": {"task": "memories.end_idle_sessions", "schedule": 60.0},
    "purge-old-turns": {"task": "memories.purge_old_turns", "schedule": 3600.0},
    # How often each job runs is a number of the space's policy; this asks which are due.
    "start-due-jobs": {"task": "memories.start_due_jobs", "schedule": 60.0},
    "carry-on-runs": {"task": "memories.carry_on_runs", "schedule": 30.0},
    "carry-on-waiting-batches": {"task": "review.carry_on_waiting", "schedule": 30.0},
}

# --- Embeddings -----------------------------------------------------------------------------------
EMBEDDER_URL = env.str("EMBEDDER_URL", "http://127.0.0.1:8001/v1")
EMBEDDER_API_KEY = env.str("EMBEDDER_API_KEY", "")
EMBEDDING_MODEL = env.str("EMBEDDING_MODEL", "intfloat/multilingual-e5-small")
# The models a space may use; the embedder loads any of them when it is first asked for it.
EMBEDDING_MODELS = list(dict.fromkeys([EMBEDDING_MODEL, *env.list("EMBEDDING_MODELS", default=[])]))

# --- Reranking ------------------------------------------------------------------------------------
# A cross-encoder judges the first hits of a recall anew; without a name nothing does.
RERANK_MODEL = env.str("RERANK_MODEL", "")
RERANK_URL = env.str("RERANK_URL", "") or EMBEDDER_URL
# Another server does not get to see the embedder's key.
RERANK_API_KEY = env.str("RERANK_API_KEY", "") or (
    EMBEDDER_API_KEY if RERANK_URL == EMBEDDER_URL else ""
)
RERANK_SECONDS = env.float("RERANK_SECONDS", 1.0)

# --- LLM ------------------------------------------------------------------------------------------
# Any OpenAI-compatible server; without one the rules distil.
LLM_BASE_URL = env.str("LLM_BASE_URL", "")
LLM_MODEL = env.str("LLM_MODEL", "")
LLM_API_KEY = env.str("LLM_API_KEY", "")

# --- MCP ------------------------------------------------------------------------------------------
MCP_PORT = env.int("MCP_PORT", 8765)
MCP_ALLOWED_HOSTS = env.list("MCP_ALLOWED_HOSTS", default=["127.0.0.1:*", "localhost:*", "[::1]:*"])
MCP_ALLOWED_ORIGINS = env.list(
    "MCP_ALLOWED_ORIGINS", default=["http://127.0.0.1:*", "http://localhost:*"]
)

# --- Signing in -----------------------------------------------------------------------------------
AUTH_USER_MODEL = "accounts.User"
AUTHENTICATION_BACKENDS = [
    "axes.backends.AxesStandaloneBackend",
    "django.contrib.auth.backends.ModelBackend",
]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}"}
    for name in (
        "UserAttributeSimilarityValidator",
        "MinimumLengthValidator",
        "CommonPasswordValidator",
    )
]
LOGIN_URL = "login"
LOGIN_REDIRECT_URL = "review:queue"
LOGOUT_REDIRECT_URL = "login"
AXES_FAILURE_LIMIT = 10
AXES_COOLOFF_TIME = 0.25  # hours
AXES_LOCKOUT_PARAMETERS = [["username", "ip_address"]]
AXES_LOCKOUT_TEMPLATE = "registration/locked.html"
AXES_VERBOSE = False

# --- The browser's side of security ---------------------------------------------------------------
HTTPS = env.bool("HTTPS", False)
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = HTTPS
SECURE_SSL_REDIRECT = HTTPS
SECURE_HSTS_SECONDS = 31_536_000 if HTTPS else 0
SECURE_HSTS_INCLUDE_SUBDOMAINS = SECURE_HSTS_PRELOAD = HTTPS
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if HTTPS else None
SESSION_COOKIE_HTTPONLY = True
SECURE_REFERRER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [NONE],
        "script-src": [SELF],
        "style-src": [SELF],
        "img-src": [SELF, "data:"],
        "font-src": [SELF],
        "connect-src": [SELF],
        "form-action": [SELF],
        "frame-ancestors": [NONE],
        "base-uri": [NONE],
    }
}

# --- Language, time, files ------------------------------------------------------------------------
LANGUAGE_CODE = "en"
LANGUAGES = [("en", "English"), ("zh-hans", "简体中文")]
LOCALE_PATHS = [BASE_DIR / "locale"]
USE_TZ = True
TIME_ZONE = env.str("TIME_ZONE", "UTC")
STATIC_URL = "static/"
STATIC_ROOT = env.path("STATIC_ROOT", BASE_DIR / "staticfiles")
STATICFILES_DIRS = [BASE_DIR / "static"]
WHITENOISE_USE_FINDERS = True

# --- REST -----------------------------------------------------------------------------------------
REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": [
        "memories.api.auth.AgentKeyAuthentication",
        # A person's scripts; `manage.py drf_create_token <user>` makes one.
        "rest_framework.authentication.TokenAuthentication",
        "rest_framework.authentication.SessionAuthentication",
    ],
    "DEFAULT_PERMISSION_CLASSES": ["rest_framework.permissions.IsAuthenticated"],
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_PARSER_CLASSES": ["rest_framework.parsers.JSONParser"],
    "DEFAULT_SCHEMA_CLASS": "drf_spectacular.openapi.AutoSchema",
    "DEFAULT_THROTTLE_CLASSES": ["memories.api.throttling.ActorThrottle"],
    "DEFAULT_THROTTLE_RATES": {"actor": env.str("API_RATE", "600/min")},
    "EXCEPTION_HANDLER": "memories.api.errors.exception_handler",
    "UNAUTHENTICATED_USER": None,
}
SPECTACULAR_SETTINGS = {
    "TITLE": "Hindsight API",
    "DESCRIPTION": "Curated long-term memory for LLM agents.",
    "VERSION": "1",
    "SERVE_INCLUDE_SCHEMA": False,
    "SWAGGER_UI_DIST": "SIDECAR",
    "SWAGGER_UI_FAVICON_HREF": "SIDECAR",
    "COMPONENT_SPLIT_REQUEST": True,
    # A PATCH has required fields too: expected_version.
    "COMPONENT_SPLIT_PATCH": False,
    "SCHEMA_PATH_PREFIX": "/api/v1",
    "ENUM_NAME_OVERRIDES": {
        "Kind": "memories.models.memory.Kind",
        "Status": "memories.models.memory.Status",
        "SessionOutcome": "memories.models.session.Session.Outcome",
        "FlagKind": "review.api.shapes.KIND_CODES",
        "FlagStatus": "memories.models.flag.Flag.Status",
        "FlagReason": "review.api.inputs.REASON_CODES",
        "Rejection": "review.models.Rejection",
        "Choice": "review.api.shapes.CHOICES",
        "BatchState": "review.models.Batch.State",
        "JobState": "memories.models.job.JobRun.State",
        "FeedbackVerdict": "memories.models.feedback.Feedback.Verdict",
        "TurnType": "memories.models.session.Turn.Type",
    },
}

# --- Logs: always stderr, because the stdio bridge speaks its protocol on stdout -----------------
LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"line": {"format": "%(asctime)s %(levelname)s %(name)s: %(message)s"}},
    "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "line"}},
    "root": {"handlers": ["stderr"], "level": env.str("LOG_LEVEL", "INFO")},
    "loggers": {"axes": {"level": "WARNING"}, "httpx": {"level": "WARNING"}},
}
