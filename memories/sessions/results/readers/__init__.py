"""One reader a file: READER says its shape, its rank and how it reads."""
