"""The texts of a job: files, the rows in them, and the shards they are cut into."""
