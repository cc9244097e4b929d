"""History is append-only (E1): the database itself refuses to change an event or a version."""

from django.db import migrations

FORWARD = """
CREATE FUNCTION memories_append_only() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION '% is append-only', TG_TABLE_NAME;
END $$;
CREATE TRIGGER memories_event_append_only BEFORE UPDATE ON memories_event
    FOR EACH ROW EXECUTE FUNCTION memories_append_only();
CREATE TRIGGER memories_memoryversion_append_only BEFORE UPDATE ON memories_memoryversion
    FOR EACH ROW EXECUTE FUNCTION memories_append_only();
"""

BACKWARD = """
DROP TRIGGER memories_event_append_only ON memories_event;
DROP TRIGGER memories_memoryversion_append_only ON memories_memoryversion;
DROP FUNCTION memories_append_only();
"""


class Migration(migrations.Migration):
    dependencies = [("memories", "0001_initial")]

    operations = [migrations.RunSQL(FORWARD, BACKWARD)]
