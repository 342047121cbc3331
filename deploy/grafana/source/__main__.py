"""Write the dashboards: `python -m deploy.grafana.source`, in the root of a checkout. A test fails when they differ."""

from deploy.grafana.source.files import FOLDER, texts

for name, text in texts().items():
    (FOLDER / name).write_text(text)
