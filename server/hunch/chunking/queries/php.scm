(namespace_definition name: (_) @name body: (_)) @namespace
(class_declaration name: (_) @name) @class
(interface_declaration name: (_) @name) @interface
(trait_declaration name: (_) @name) @class
(enum_declaration name: (_) @name) @enum
(enum_case name: (_) @name) @member
(method_declaration name: (_) @name) @method
(function_definition name: (_) @name) @function
(property_declaration (property_element name: (variable_name (name) @name))) @field
(const_declaration (const_element . (name) @name)) @constant
(program
  (expression_statement
    (function_call_expression
      function: (name) @_define
      arguments: (arguments . (argument (string (string_content) @name))))
    (#eq? @_define "define")) @constant)
(comment) @doc
