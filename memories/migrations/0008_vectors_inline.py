"""Vectors stay in their row: with two of them, while a model changes, a row outgrows a quarter of a
page and they would be moved out of line, and every scan would follow a pointer for each.
"""

from django.db import migrations

COLUMNS = ("embedding", "other_embedding")


def _storage(kind: str) -> str:
    parts = ", ".join(f"ALTER COLUMN {column} SET STORAGE {kind}" for column in COLUMNS)
    return f"ALTER TABLE memories_memory {parts}"


class Migration(migrations.Migration):
    dependencies = [("memories", "0007_job_indexes")]

    operations = [migrations.RunSQL(_storage("MAIN"), _storage("EXTERNAL"))]
