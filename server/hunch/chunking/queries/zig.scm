(function_declaration name: (_) @name) @function
(variable_declaration . (identifier) @name (struct_declaration)) @struct
(variable_declaration . (identifier) @name (union_declaration)) @struct
(variable_declaration . (identifier) @name (opaque_declaration)) @struct
(variable_declaration . (identifier) @name (enum_declaration)) @enum
(variable_declaration . (identifier) @name (error_set_declaration)) @enum
(enum_declaration (container_field name: (_) @name) @member)
(container_field name: (_) @name) @field
(source_file (variable_declaration . (identifier) @name) @variable)
(struct_declaration (variable_declaration . (identifier) @name) @variable)
(test_declaration (string (string_content) @name)) @block
(comment) @doc
