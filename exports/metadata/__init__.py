"""What a release says of itself: Croissant, citation, licence, statistics, and the head of its card."""
