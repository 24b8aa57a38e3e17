"""What people want vectors for: search, near duplicates, groups with a map, and why two texts are close."""
