(function_declaration name: (method_index_expression) @name) @method
(function_declaration name: (_) @name) @function
(assignment_statement
  (variable_list . name: [(identifier) (dot_index_expression)] @name)
  (expression_list . value: (function_definition))) @function
(field name: (identifier) @name value: (function_definition)) @function
(chunk
  [(variable_declaration (assignment_statement (variable_list . name: (identifier) @name)))
   (assignment_statement (variable_list . name: [(identifier) (dot_index_expression)] @name))]
  @variable)
(comment) @doc
(function_call
  name: (identifier) @_test
  arguments: (arguments . (string content: (_) @name) . (function_definition))
  (#any-of? @_test "describe" "it")) @block
