(class_declaration name: (_) @name) @class
(class name: (_) @name) @class
(method_definition "get" name: (_) @name) @property
(method_definition "set" name: (_) @name) @property
(method_definition name: (_) @name) @method
(function_declaration name: (_) @name) @function
(generator_function_declaration name: (_) @name) @function
(export_statement "default" @name
  value: [(arrow_function) (function_expression !name) (generator_function !name)]) @function
(export_statement "default" @name value: (class !name)) @class
(variable_declarator
  name: (identifier) @name
  value: [(arrow_function) (function_expression) (generator_function)]) @function
(variable_declarator name: (identifier) @name value: (class)) @class
(program
  [(lexical_declaration (variable_declarator name: (identifier) @name) @variable)
   (variable_declaration (variable_declarator name: (identifier) @name) @variable)])
(program
  (export_statement
    [(lexical_declaration (variable_declarator name: (identifier) @name) @variable)
     (variable_declaration (variable_declarator name: (identifier) @name) @variable)]))
(assignment_expression
  left: (member_expression object: (_) property: (property_identifier) @_exports)
  right: [(function_expression name: (_) @name) (generator_function name: (_) @name)]
  (#eq? @_exports "exports")) @function
(assignment_expression
  left: (member_expression object: (_) property: (property_identifier) @_exports)
  right: (class name: (_) @name)
  (#eq? @_exports "exports")) @class
(assignment_expression
  left: [(identifier) (member_expression)] @name
  right: [(arrow_function) (function_expression) (generator_function)]) @function
(assignment_expression
  left: [(identifier) (member_expression)] @name
  right: (class)) @class
(arguments (function_expression name: (_) @name) @function)
(return_statement (function_expression name: (_) @name) @function)
(pair
  key: [(property_identifier) (string)] @name
  value: [(arrow_function) (function_expression) (generator_function)]) @method
(pair key: (property_identifier) @name value: (class)) @class
(comment) @doc
(decorator) @lead
(call_expression
  function: [(identifier) @_test (member_expression object: (identifier) @_test)]
  arguments: (arguments . (string (string_fragment) @name) . [(arrow_function) (function_expression)])
  (#any-of? @_test "describe" "it" "test" "suite" "context" "bench")) @block
