(call
  target: (identifier) @_defmodule
  (arguments . (alias) @name)
  (#eq? @_defmodule "defmodule")) @module
(call
  target: (identifier) @_defprotocol
  (arguments . (alias) @name)
  (#eq? @_defprotocol "defprotocol")) @interface
(call
  target: (identifier) @_defimpl
  (arguments . (alias) @name)
  (#eq? @_defimpl "defimpl")) @inside
(call
  target: (identifier) @_def
  (arguments . [
    (identifier) @name
    (call target: (identifier) @name)
    (binary_operator left: (call target: (identifier) @name) operator: "when")
    (binary_operator left: (identifier) @name operator: "when")
  ])
  (#any-of? @_def
    "def" "defp" "defmacro" "defmacrop" "defguard" "defguardp" "defdelegate" "defn" "defnp"
    "defcallback")) @function
(unary_operator
  operator: "@"
  operand: (call target: (identifier) @_doc)
  (#any-of? @_doc "doc" "spec" "impl" "deprecated" "typedoc" "tag")) @lead
(comment) @doc
(call
  target: (identifier) @_test
  (arguments . (string (quoted_content) @name))
  (do_block)
  (#any-of? @_test "describe" "test")) @block
