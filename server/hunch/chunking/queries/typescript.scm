(interface_declaration name: (_) @name) @interface
(type_alias_declaration name: (_) @name) @type
(enum_declaration name: (_) @name) @enum
(enum_body name: (property_identifier) @name @member)
(enum_assignment name: (_) @name) @member
(abstract_class_declaration name: (_) @name) @class
(internal_module name: (_) @name) @namespace
(module name: (_) @name) @module
(function_signature name: (_) @name) @function
(method_signature name: (_) @name) @method
(abstract_method_signature name: (_) @name) @method
(interface_body (property_signature name: (_) @name) @property)
(public_field_definition
  name: (_) @name
  value: [(arrow_function) (function_expression)]) @method
(public_field_definition name: (_) @name) @field
(ambient_declaration (lexical_declaration (variable_declarator name: (identifier) @name) @variable))
