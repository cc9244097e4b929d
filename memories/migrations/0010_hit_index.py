from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("memories", "0009_evaluation")]

    operations = [
        migrations.AddIndex(
            model_name="hit",
            index=models.Index(fields=["memory", "recall"], name="hit_memory_recall"),
        ),
        migrations.AlterField(
            model_name="hit",
            name="memory",
            field=models.ForeignKey(
                on_delete=models.deletion.CASCADE,
                related_name="hits",
                to="memories.memory",
                db_index=False,
            ),
        ),
    ]
