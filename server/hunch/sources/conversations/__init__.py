"""Conversations with coding agents, read from the logs that the agents leave on disk."""
