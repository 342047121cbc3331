"""Tables, engine, migrations."""
