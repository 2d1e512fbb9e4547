(class_definition name: (identifier) @name) @class
(decorated_definition
  (decorator (identifier) @_decorator)
  definition: (function_definition name: (identifier) @name) @property
  (#match? @_decorator "^(cached_)?property$"))
(function_definition name: (identifier) @name) @function
(module (expression_statement (assignment left: (identifier) @name) @variable))
(module (type_alias_statement left: (type) @name) @type)
(class_definition
  body: (block (expression_statement (assignment left: (identifier) @name) @field)))
(decorator) @lead
(comment) @doc
