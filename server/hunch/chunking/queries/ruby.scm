(module name: (_) @name) @module
(class name: (_) @name) @class
(singleton_class value: (constant) @name) @inside
(singleton_method object: (constant) @scope name: (_) @name) @method
(singleton_method name: (_) @name) @method
(program (method name: (_) @name) @function)
(method name: (_) @name) @method
(alias name: (_) @name) @method
(program (assignment left: (constant) @name) @constant)
(body_statement (assignment left: (constant) @name) @constant)
(call
  method: (identifier) @_attr
  arguments: (argument_list (simple_symbol) @name @property)
  (#match? @_attr "^attr_(accessor|reader|writer)$"))
(call
  method: (identifier) @_define
  arguments: (argument_list . (simple_symbol) @name)
  (#any-of? @_define "define_method" "scope" "define_singleton_method")) @method
(comment) @doc
(call
  method: (identifier) @_test
  arguments: (argument_list . (string (string_content) @name))
  block: (_)
  (#any-of? @_test "describe" "context" "it" "test")) @block
