(class_declaration "interface" name: (_) @name) @interface
(class_declaration (modifiers (class_modifier "enum")) name: (_) @name) @enum
(class_declaration name: (_) @name) @class
(object_declaration name: (_) @name) @class
(companion_object name: (_) @name) @class
(enum_entry . (_) @name) @member
(secondary_constructor "constructor" @name) @constructor
(function_declaration (user_type) @scope . "." name: (_) @name) @function
(function_declaration (user_type) @scope "." name: (_) @name) @function
(function_declaration name: (_) @name) @function
(type_alias type: (_) @name) @type
(source_file (property_declaration (variable_declaration . (_) @name)) @variable)
(class_body (property_declaration (variable_declaration . (_) @name)) @variable)
(line_comment) @doc
(block_comment) @doc
(annotated_expression) @lead
