"""Cutting documents into chunks along the structure that their language gives them."""
