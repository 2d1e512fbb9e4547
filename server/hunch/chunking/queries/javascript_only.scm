(field_definition
  property: (_) @name
  value: [(arrow_function) (function_expression)]) @method
(field_definition property: (_) @name) @field
(function_expression name: (_) @name) @function
(generator_function name: (_) @name) @function
