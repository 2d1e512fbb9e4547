(function_definition
  !type
  declarator: (function_declarator
    declarator: (identifier) @_test
    parameters: (parameter_list . (_) @scope . (_) @name .))
  (#match? @_test "^(TYPED_)?TEST")) @method
(class_specifier name: (_) @name body: (_)) @class
(struct_specifier name: (_) @name body: (_)) @struct
(namespace_definition name: (_) @name) @namespace
(concept_definition name: (_) @name) @interface
(alias_declaration name: (_) @name) @type
(enum_specifier name: (_) @name body: (_)) @enum
(field_declaration declarator: (function_declarator)) @method
(field_declaration declarator: (pointer_declarator declarator: (function_declarator))) @method
(field_declaration declarator: (reference_declarator (function_declarator))) @method
(field_declaration declarator: (field_identifier) @name) @field
(field_declaration_list (declaration declarator: (function_declarator)) @method)
(template_declaration parameters: (_) @lead)
