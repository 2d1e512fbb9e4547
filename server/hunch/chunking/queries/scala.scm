(class_definition name: (_) @name) @class
(object_definition name: (_) @name) @class
(package_object name: (_) @name) @class
(trait_definition name: (_) @name) @interface
(enum_definition name: (_) @name) @enum
(simple_enum_case name: (_) @name) @member
(full_enum_case name: (_) @name) @member
(given_definition name: (_) @name) @variable
(function_definition name: (_) @name) @function
(function_declaration name: (_) @name) @function
(extension_definition parameters: (parameters (parameter type: (_) @name))) @inside
(type_definition name: (_) @name) @type
(compilation_unit (val_definition pattern: (identifier) @name) @variable)
(compilation_unit (var_definition pattern: (identifier) @name) @variable)
(template_body (val_definition pattern: (identifier) @name) @variable)
(template_body (var_definition pattern: (identifier) @name) @variable)
(comment) @doc
(block_comment) @doc
