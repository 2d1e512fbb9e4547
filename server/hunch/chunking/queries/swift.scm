(class_declaration declaration_kind: "struct" name: (_) @name) @struct
(class_declaration declaration_kind: "enum" name: (_) @name) @enum
(class_declaration declaration_kind: "extension" name: (_) @name) @inside
(class_declaration name: (_) @name) @class
(protocol_declaration name: (_) @name) @interface
(enum_entry name: (simple_identifier) @name) @member
(init_declaration "init" @name) @constructor
(deinit_declaration "deinit" @name) @method
(subscript_declaration "subscript" @name) @method
(function_declaration name: (simple_identifier) @name) @function
(function_declaration name: (custom_operator) @name) @operator
(protocol_function_declaration name: (simple_identifier) @name) @method
(protocol_property_declaration name: (pattern bound_identifier: (_) @name)) @property
(typealias_declaration name: (type_identifier) @name) @type
(source_file (property_declaration name: (pattern bound_identifier: (_) @name)) @variable)
(class_body (property_declaration name: (pattern bound_identifier: (_) @name)) @property)
(enum_class_body (property_declaration name: (pattern bound_identifier: (_) @name)) @property)
(macro_declaration (simple_identifier) @name) @function
(comment) @doc
(multiline_comment) @doc
