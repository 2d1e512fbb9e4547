"""What crosses the wire between Hunch and its editors, beyond plain LSP: `server/docs/protocol.md`."""
