(function_declaration name: (method_index_expression) @name) @method
(function_declaration name: (_) @name) @function
(assignment_statement
  (variable_list . name: [(identifier) (dot_index_expression)] @name)
  (expression_list . value: (function_definition))) @function
(field name: (identifier) @name value: (function_definition)) @function
(chunk
  [(variable_declaration (assignment_statement (variable_list . name: (identifier) @name)))
   (assignment_statement (variable_list . name: (identifier) @name))] @variable)
(comment) @doc
