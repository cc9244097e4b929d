"""History is append-only (E1): the database refuses to change or remove an event or a version.

Purging is the one exception (E6), and says so for its own transaction: it may remove versions, and
take the text out of events; whom, when and what kind of thing happened stay. Only the removal of a
whole space removes events.
"""

from django.db import migrations

FORWARD = """
CREATE OR REPLACE FUNCTION memories_append_only() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    allowed text := current_setting('hindsight.erasing', true);
BEGIN
    IF TG_OP = 'DELETE' THEN
        IF allowed = 'space' OR (allowed = 'texts' AND TG_TABLE_NAME = 'memories_memoryversion') THEN
            RETURN OLD;
        END IF;
    ELSIF allowed = 'texts' AND TG_TABLE_NAME = 'memories_event' THEN
        IF to_jsonb(OLD) - 'data' = to_jsonb(NEW) - 'data' THEN
            RETURN NEW;
        END IF;
    END IF;
    RAISE EXCEPTION '% is append-only', TG_TABLE_NAME;
END $$;
DROP TRIGGER memories_event_append_only ON memories_event;
CREATE TRIGGER memories_event_append_only BEFORE UPDATE OR DELETE ON memories_event
    FOR EACH ROW EXECUTE FUNCTION memories_append_only();
DROP TRIGGER memories_memoryversion_append_only ON memories_memoryversion;
CREATE TRIGGER memories_memoryversion_append_only BEFORE UPDATE OR DELETE ON memories_memoryversion
    FOR EACH ROW EXECUTE FUNCTION memories_append_only();
"""

BACKWARD = """
CREATE OR REPLACE FUNCTION memories_append_only() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION '% is append-only', TG_TABLE_NAME;
END $$;
DROP TRIGGER memories_event_append_only ON memories_event;
CREATE TRIGGER memories_event_append_only BEFORE UPDATE ON memories_event
    FOR EACH ROW EXECUTE FUNCTION memories_append_only();
DROP TRIGGER memories_memoryversion_append_only ON memories_memoryversion;
CREATE TRIGGER memories_memoryversion_append_only BEFORE UPDATE ON memories_memoryversion
    FOR EACH ROW EXECUTE FUNCTION memories_append_only();
"""


class Migration(migrations.Migration):
    dependencies = [("memories", "0005_aging")]

    operations = [migrations.RunSQL(FORWARD, BACKWARD)]
