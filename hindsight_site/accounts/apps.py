from django.apps import AppConfig


class AccountsConfig(AppConfig):
    name = "hindsight_site.accounts"
    label = "accounts"
