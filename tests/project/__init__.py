"""The repository itself: its pages, its demonstration, its benchmark."""
