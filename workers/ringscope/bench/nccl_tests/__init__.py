"""nccl-tests' table and JSON, so that numbers compare one to one with the field's benchmark."""
