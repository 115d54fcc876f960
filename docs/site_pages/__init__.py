"""Pages of the site that are made of the code itself."""
