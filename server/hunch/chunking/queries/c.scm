(function_definition) @function
(translation_unit (declaration declarator: (function_declarator)) @function)
(translation_unit (declaration declarator: (pointer_declarator declarator: (function_declarator))) @function)
(struct_specifier name: (type_identifier) @name body: (_)) @struct
(union_specifier name: (type_identifier) @name body: (_)) @struct
(enum_specifier name: (type_identifier) @name body: (_)) @enum
(enumerator name: (_) @name) @member
(type_definition type: (struct_specifier !name) declarator: (type_identifier) @name) @struct
(type_definition type: (union_specifier !name) declarator: (type_identifier) @name) @struct
(type_definition type: (enum_specifier !name) declarator: (type_identifier) @name) @enum
(type_definition declarator: (type_identifier) @name) @type
(preproc_def name: (_) @name) @constant
(preproc_function_def name: (_) @name) @function
(translation_unit
  (declaration declarator: (init_declarator declarator: [(identifier) (array_declarator) (pointer_declarator)])) @variable)
(comment) @doc
