/** The languages that a search can be narrowed to, by the server's names; a test compares them. */
export const LANGUAGES = (
  "asciidoc bash c clojure cmake cpp csharp css dart dockerfile elixir erlang fsharp go graphql " +
  "groovy haskell hcl html java javascript json julia jupyter kotlin lua make markdown nix " +
  "objective-c ocaml org perl php powershell protobuf python r restructuredtext ruby rust scala " +
  "sql swift tex text toml tsx typescript vim xml yaml zig"
).split(" ");
